import { commandLine, extension, stem } from './base/shell';
import { Signal } from './base/signal';
import { fromFiles, isDocument, type Document } from './document';
import { Cancelled, Engine } from './engine/engine';
import type { Progress } from './engine/module';
import type { Files, Result } from './engine/protocol';
import { History, type Brought, type JointMap, type Look, type Snapshot, type Way } from './history';
import type { InfoReport, MotionReport, RigReport, Triple } from './reports';

/** A line of the log: what was run and how it ended. */
export interface LogEntry {
    line: string;
    code: number | null;
    messages: string;
    seconds: number;
}

export interface Notice {
    kind: 'error' | 'info';
    title: string;
    text: string;
}

export interface Busy {
    what: string;
    since: number;
}

/** A command ended with another exit code than 0. */
export class Failed extends Error {
    constructor(readonly result: Result) {
        const said = result.messages.trim().split('\n');
        const errors = said.filter((line) => line.startsWith('limber ') && !line.includes(': warning: '));
        super((errors.length ? errors : said).join('\n') || `exit code ${result.code}`);
    }
}

/** What of a character its bytes do not tell. */
type Known = Pick<Snapshot, 'how' | 'rig' | 'corrections' | 'chains' | 'own' | 'weighed' | 'motion' | 'brought' | 'work'>;

function renameIn(report: RigReport, renamed: [string, string] | undefined): RigReport {
    return renamed ? { ...report, joints: report.joints.map((joint) => (joint.name === renamed[0] ? { ...joint, name: renamed[1] } : joint)) } : report;
}

/** How samples of the first screen and of addresses are made. */
export function sampleOptions(kind: string): string[] {
    return kind === 'humanoid' ? ['--pose', 't'] : [];
}

// What links may ask for.
const repeatable = ['rig', 'animate', 'weights', 'convert', 'blend', 'clean'];

/** How a command makes a character out of the current one. */
interface Derivation {
    json?: boolean;
    files?: Files;
    step?: string;
    /** What was put by hand, and whose the joints are; as of the current character where it is not given. */
    corrections?: ReadonlyMap<string, Triple>;
    chains?: ReadonlyMap<string, Triple>;
    own?: boolean;
    /** A joint that has another name now. */
    renamed?: [string, string];
    /** The motion file that it puts on. */
    brought?: Brought | undefined;
    /** What the command is run on, in place of the current character. */
    from?: Snapshot | undefined;
}

// What can be a motion alone. Others are motions when they hold clips and no mesh.
const motionExtensions = new Set(['bvh', 'amc', 'c3d', 'trc', 'vrma', 'limb', 'csv']);
const openOrder = ['glb', 'gltf', 'vrm', 'fbx', 'obj', 'ply', 'off', 'stl', 'iqm', 'md5mesh', 'bvh', 'amc', 'c3d', 'trc', 'vrma', 'npz', 'limb', 'csv', 'asf'];

function decode<T>(result: Result): T {
    return JSON.parse(new TextDecoder().decode(result.output)) as T;
}

function isEmpty({ meshes, skeleton, clips }: InfoReport): boolean {
    return !meshes.some((mesh) => mesh.vertices > 0) && (skeleton?.joints.length ?? 0) < 2 && !clips?.length;
}

/** What a map file says; nothing where it is none, which the command tells. */
function readMap(bytes: Uint8Array | undefined): JointMap {
    try {
        const { character, motion } = JSON.parse(new TextDecoder().decode(bytes)) as JointMap;
        return { ...(character && { character }), ...(motion && { motion }) };
    } catch {
        return {};
    }
}

/** The file among those dropped together that names or needs the others. */
export function mainFile(names: string[]): string | null {
    const rank = (name: string): number => openOrder.indexOf(extension(name));
    return names.filter((name) => rank(name) >= 0).sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

/** What the user does: every action is a command line on the current character. */
export class Session {
    readonly engine = new Engine();
    readonly history = new History();
    readonly log = new Signal<LogEntry[]>([]);
    readonly busy = new Signal<Busy | null>(null);
    /** What the module is at, where it says so. */
    readonly progress = new Signal<Progress | null>(null);
    readonly notice = new Signal<Notice | null>(null);
    /** A motion file that could not be put on the character: another map may help. */
    readonly refused = new Signal<Brought | null>(null);
    /** Reads a moment for the picture; what it gives puts it there. */
    prepare: (snapshot: Snapshot) => Promise<() => void> = async () => () => {};
    /** How the character is seen, and what shows it so again. */
    look: () => Look | null = () => null;
    /** Called when another document takes the place of this one. */
    replaced: () => void = () => {};
    showLook: (look: Look) => Promise<void> = async () => {};
    /** What the user's hands have begun and the history does not have yet; null: nothing. */
    readonly unfinished = new Set<() => Promise<void> | null>();
    /** Whether what runs was cancelled. */
    stopped = false;
    private opened: { files: Files; main: string } | null = null;
    private count = 0;

    constructor() {
        this.engine.progressed = (progress) => {
            if (this.busy.value) this.progress.value = progress;
        };
    }

    get current(): Snapshot | null {
        return this.history.current.value;
    }

    get isRigged(): boolean {
        return (this.current?.info.skins?.length ?? 0) > 0;
    }

    /** Runs one command and writes it down; throws Failed unless the exit code is one of those that are fine. */
    async run(args: string[], files: Files = new Map(), fine: number[] = [0]): Promise<Result> {
        const start = performance.now();
        this.progress.value = null;
        const entry: LogEntry = { line: commandLine(args), code: null, messages: '', seconds: 0 };
        this.log.value = [...this.log.value, entry];
        const done = (code: number | null, messages: string): void => {
            Object.assign(entry, { code, messages: messages.trim(), seconds: (performance.now() - start) / 1000 });
            this.log.value = [...this.log.value];
        };
        try {
            const result = await this.engine.run(args, files);
            done(result.code, result.messages);
            if (!fine.includes(result.code)) throw new Failed(result);
            return result;
        } catch (error) {
            if (!(error instanceof Failed)) done(-1, (error as Error).message);
            throw error;
        }
    }

    /** One thing at a time, with what it is on show; a failure becomes a notice and changes nothing. */
    async attempt<T>(what: string, act: () => Promise<T>): Promise<T | null> {
        if (this.busy.value) return null;
        const due = this.finish();
        if (due) await due;
        return this.perform(what, act);
    }

    /** Has the history take what the user's hands have begun; null when that is nothing. */
    finish(): Promise<unknown> | null {
        const due = [...this.unfinished].map((finish) => finish()).filter((one) => one !== null);
        return due.length ? Promise.all(due) : null;
    }

    private async perform<T>(what: string, act: () => Promise<T>): Promise<T | null> {
        if (this.busy.value) return null;
        this.busy.value = { what, since: performance.now() };
        this.notice.value = null;
        this.stopped = false;
        try {
            return await act();
        } catch (error) {
            if (!(error instanceof Cancelled)) this.notice.value = { kind: 'error', title: `${this.busy.value?.what ?? what} failed`, text: (error as Error).message };
            return null;
        } finally {
            this.progress.value = null;
            this.busy.value = null;
        }
    }

    cancel(): void {
        this.stopped = true;
        this.engine.cancel();
    }

    sample(kind: string, seed: number, options: string[] = []): Promise<unknown> {
        return this.attempt(`Making a ${kind}`, async () => {
            const file = this.next(`${kind}-${seed}`);
            const result = await this.run(['sample', kind, '--seed', `${seed}`, ...options, '-o', file]);
            this.opened = null;
            await this.show(`${kind} ${seed}`, file, this.written(result, file), 'open the sample', { how: ['sample', kind, `${seed}`, ...options] });
        });
    }

    /** Opens files that belong together, which are read while `what` is on show; a motion alone goes onto the character that is there. */
    open(what: string, read: () => Promise<Files>): Promise<unknown> {
        return this.attempt(what, async () => {
            const files = await read();
            if (isDocument(files)) return this.takeDocument(fromFiles(files));
            const main = mainFile([...files.keys()]);
            if (main === null) throw new Error(`No file of a known kind among ${[...files.keys()].join(', ')}`);
            if (this.busy.value) this.busy.value = { ...this.busy.value, what: `Opening ${main}` };
            if (this.current?.info.meshes.length && (await this.isMotion(main, files))) await this.addMotion(main, files, []);
            else await this.openMesh(main, files, []);
        });
    }

    /** Reads the opened file once more, with what it did not say. */
    reopen(options: string[]): Promise<unknown> {
        const opened = this.opened;
        if (!opened) return Promise.resolve();
        return this.attempt(`Opening ${opened.main}`, () => this.openMesh(opened.main, opened.files, options));
    }

    get reopenable(): boolean {
        return this.opened !== null;
    }

    /** Everything that was done, to be kept. */
    document(): Document {
        return { ...this.history.contents, log: this.log.value, count: this.count, opened: this.opened, look: this.look() };
    }

    /** A document in place of what is there. */
    reopenDocument(what: string, read: () => Promise<Document>): Promise<true | null> {
        return this.attempt<true>(what, async () => {
            await this.takeDocument(await read());
            return true;
        });
    }

    private async takeDocument({ moments, at, saved, log, count, opened, look }: Document): Promise<void> {
        const put = await this.prepare(moments[at]!.snapshot);
        this.replaced();
        this.count = count;
        this.opened = opened;
        this.log.value = log;
        this.history.restore(moments, at, saved);
        put();
        if (look) await this.showLook(look);
    }

    undo(): Promise<void> {
        return this.go('Undoing', () => this.history.back);
    }

    redo(): Promise<void> {
        return this.go('Redoing', () => this.history.forth);
    }

    /** A motion out of a file, whatever else the file holds. */
    animateFile(main: string, files: Files, options: string[]): Promise<unknown> {
        return this.attempt(`Animating: ${main}`, () => this.addMotion(main, files, options));
    }

    animate(motion: string, options: string[]): Promise<unknown> {
        return this.attempt(`Animating: ${motion}`, () => this.addMotion(motion, new Map(), options));
    }

    /** A command that makes a character out of the current one. */
    edit(what: string, before: string[], after: string[], options: Derivation = {}): Promise<Result | null> {
        return this.attempt(what, () => this.derive(before, after, options));
    }

    /** Paints by the text of strokes that the user's hands have made; the log has the text. */
    paint(strokes: string, step: string): Promise<true | null> {
        return this.perform<true>(`Keeping: ${step}`, async () => {
            const file = this.next('strokes', 'txt');
            this.note(`cat >${file} <<'END'\n${strokes}END`);
            await this.derive(['weights', 'paint'], ['--strokes', file], { files: new Map([[file, new TextEncoder().encode(strokes)]]), step });
            return true;
        });
    }

    /** Puts a clip on by the text of keys that the user's hands have set; it is the first. The log has the text. */
    keys(keys: string, step: string): Promise<true | null> {
        return this.perform<true>(`Keeping: ${step}`, async () => {
            const file = this.next('set', 'keys');
            this.note(`cat >${file} <<'END'\n${keys}END`);
            await this.derive(['animate'], [file], { files: new Map([[file, new TextEncoder().encode(keys)]]), step });
            return true;
        });
    }

    private note(line: string): void {
        this.log.value = [...this.log.value, { line, code: 0, messages: '', seconds: 0 }];
    }

    /** Of its clips this one alone stays. */
    keepClip(index: number, name: string): Promise<unknown> {
        return this.edit('Dropping clips', ['convert'], ['--clip', `${index}`], { step: `keep ${name}` });
    }

    rig(options: string[], derivation: Derivation): Promise<unknown> {
        return this.edit('Rigging', ['rig'], options, { json: true, step: 'rig', own: false, ...derivation });
    }

    /** Binds the skin to joints that are given as the text of a glTF file; the log has the text. */
    bindTo(joints: string, step: string, options: string[]): Promise<true | null> {
        return this.attempt<true>('Binding the skin', async () => {
            const file = this.next('joints', 'gltf');
            this.note(`cat >${file} <<'END'\n${joints}END`);
            await this.derive(['rig'], ['--skeleton', file, '--fit', 'never', ...options], { json: true, files: new Map([[file, new TextEncoder().encode(joints)]]), step, own: true, corrections: new Map(), chains: new Map() });
            return true;
        });
    }

    /** An address that makes the current character again, out of a sample; null where commands alone do not make it. */
    get link(): string | null {
        const { moments, at } = this.history.contents;
        const made = [...new Set(moments.slice(0, at + 1).map(({ snapshot }) => snapshot))];
        const from = made.findLastIndex(({ how }) => how?.[0] === 'sample');
        const [, kind, seed, ...options] = made[from]?.how ?? [];
        const steps = made.slice(from + 1).map(({ how }) => how);
        if (!kind || options.join(' ') !== sampleOptions(kind).join(' ') || steps.some((how) => !how || !repeatable.includes(how[0]!))) return null;
        return `#${new URLSearchParams({ sample: `${kind}:${seed}`, ...(steps.length ? { do: JSON.stringify(steps) } : {}) })}`;
    }

    /** Does once more what was done to a sample elsewhere, in the words of `how`. */
    repeat(how: string[]): Promise<unknown> {
        const [command = '', ...rest] = how;
        const words = command === 'weights' ? 2 : 1;
        if (!repeatable.includes(command)) return Promise.reject(new Error(`a link cannot run "${command}"`));
        const positionsOf = (option: string): Map<string, Triple> => new Map(how.flatMap((word, k) => {
            const [name, position] = how[k - 1] === option ? word.split('=') : [];
            return name && position ? [[name, position.split(',').map(Number) as Triple]] : [];
        }));
        const rigs = command === 'rig' ? { own: false, corrections: positionsOf('--marker'), chains: positionsOf('--chain') } : {};
        return this.edit('Doing it again', how.slice(0, words), rest.slice(words - 1), { json: command === 'rig' || command === 'animate', step: command === 'animate' ? `animate ${stem(how[1] ?? '')}` : how.slice(0, words).join(' '), ...rigs });
    }

    rename(old: string, name: string): Promise<unknown> {
        return this.edit('Renaming', ['convert'], ['--rename', `${old}=${name}`], { step: `rename ${old}`, own: true, renamed: [old, name] });
    }

    /** A mesh becomes a character that moves: joints and skin unless it has them, and a motion that the body can do. */
    bringToLife(motionFor: () => Promise<string | null>): Promise<unknown> {
        return this.attempt('Rigging', async () => {
            if (!this.isRigged) await this.derive(['rig'], [], { json: true, step: 'rig', own: false });
            const motion = await motionFor();
            if (motion === null) {
                this.notice.value = { kind: 'info', title: 'Rigged', text: 'No made motion is for such a body. A motion from a file may suit it.' };
                return;
            }
            if (this.busy.value) this.busy.value = { ...this.busy.value, what: `Animating: ${motion}` };
            await this.addMotion(motion, new Map(), []);
        });
    }

    private async isMotion(main: string, files: Files): Promise<boolean> {
        if (motionExtensions.has(extension(main))) return true;
        const result = await this.engine.run(['info', main, '--json'], files);
        if (result.code !== 0) return false;
        const info = decode<InfoReport>(result);
        return info.meshes.length === 0 && (info.clips?.length ?? 0) > 0;
    }

    private async openMesh(main: string, files: Files, options: string[]): Promise<void> {
        const file = this.next(stem(main));
        const result = await this.run(['convert', main, file, ...options], files);
        this.opened = { files, main };
        await this.show(stem(main), file, this.written(result, file), `open ${main}`);
        this.mention(result);
    }

    private async addMotion(motion: string, files: Files, options: string[]): Promise<void> {
        // Of its own accord `animate` rigs too, but says less about it.
        if (!this.isRigged) await this.derive(['rig'], [], { json: true, step: 'rig', own: false });
        const made = !files.has(motion);
        const own = stem(motion);
        const name = this.freeName(own);
        const named = made && name === own ? [] : ['--name', name];
        const map = [...files.keys()].find((name) => extension(name) === 'json');
        const brought = { main: motion, files, options, name, from: this.current?.file ?? null, map: readMap(map ? files.get(map) : undefined) };
        await this.bring([motion, ...options, ...named, ...(map ? ['--map', map] : [])], { files, json: true, step: `animate ${stem(motion)}`, brought });
    }

    private async bring(after: string[], derivation: Derivation): Promise<void> {
        this.refused.value = null;
        try {
            this.mention(await this.derive(['animate'], after, derivation));
        } catch (error) {
            if (error instanceof Failed && derivation.brought?.files.size) this.refused.value = derivation.brought;
            throw error;
        }
    }

    /** Puts a motion file on once more, by another joint map, in place of what came of it before. The log has the map. */
    remap(brought: Brought, map: JointMap): Promise<true | null> {
        return this.attempt<true>(`Animating: ${brought.main}`, async () => {
            const from = this.history.contents.moments.find(({ snapshot }) => snapshot.file === brought.from)?.snapshot ?? this.current ?? undefined;
            const text = `${JSON.stringify({ limber: 'joint map', ...map }, null, 1)}\n`;
            const file = this.next('map', 'json');
            this.note(`cat >${file} <<'END'\n${text}END`);
            const files = new Map([...brought.files].filter(([name]) => extension(name) !== 'json')).set(file, new TextEncoder().encode(text));
            const name = from?.file === brought.from ? brought.name : this.freeName(brought.name);
            await this.bring([brought.main, ...brought.options, '--name', name, '--map', file], {
                files, json: true, from, step: `animate ${stem(brought.main)} by another map`, brought: { ...brought, name, from: from?.file ?? null, map },
            });
            return true;
        });
    }

    /** A name for a clip that none of the character's has. */
    freeName(name: string): string {
        const taken = new Set((this.current?.info.clips ?? []).map((clip) => clip.name));
        for (let k = 1; ; ++k) {
            const one = k === 1 ? name : `${name} ${k}`;
            if (!taken.has(one)) return one;
        }
    }

    /** Warnings of a command that went well are not to be lost in the log. */
    private mention(result: Result): void {
        const warnings = result.messages.split('\n').filter((line) => line.includes('warning:'));
        if (warnings.length) this.notice.value = { kind: 'info', title: 'Done, with warnings', text: warnings.join('\n') };
    }

    private async derive(before: string[], after: string[], { json = false, files = new Map() as Files, step = before.join(' '), corrections, chains, own, renamed, brought, from }: Derivation): Promise<Result> {
        const current = from ?? this.current;
        if (!current) throw new Error('there is no character yet');
        const file = this.next(current.title.replaceAll(' ', '-'));
        const args = [...before, current.file, ...after, ...(json ? ['--json'] : []), '-o', file];
        const result = await this.run(args, new Map([...files, [current.file, current.glb]]));
        const report = before[0] === 'rig' ? decode<RigReport | { confidence?: undefined }>(result) : current.rig;
        // A skeleton that was given and not found has no confidence.
        const rig = report?.confidence !== undefined ? renameIn(report, renamed) : null;
        const motion = before[0] === 'animate' && json ? decode<MotionReport>(result) : before[0] === 'weights' ? current.motion : null;
        const made = before[0] === 'rig' ? await this.carryClips(current, file, this.written(result, file)) : { file, glb: this.written(result, file) };
        const weighed = before[0] === 'weights' || (before[0] === 'rig' ? after.includes('--keep-weights') : current.weighed);
        // Files that came along are nowhere but here.
        const how = files.size === 0 ? [...before, ...after] : null;
        await this.show(current.title, made.file, made.glb, step, { how, rig, corrections: corrections ?? current.corrections, chains: chains ?? current.chains, own: own ?? current.own, weighed, motion, brought: brought ?? (before[0] === 'weights' && current.brought ? { ...current.brought, from: null } : null), work: true });
        return result;
    }

    /** A rig made anew has no clips: those that were there go over as they are. */
    private async carryClips(from: Snapshot, file: string, glb: Uint8Array): Promise<{ file: string; glb: Uint8Array }> {
        const clips = (from.info.skins?.length ?? 0) > 0 ? (from.info.clips ?? []) : [];
        let made = { file, glb };
        // The newest is the first.
        for (let clip = clips.length - 1; clip >= 0; --clip) {
            const what = `Carrying ${clips[clip]!.name || `clip ${clip}`} over`;
            if (this.busy.value) this.busy.value = { ...this.busy.value, what };
            const next = this.next(from.title.replaceAll(' ', '-'));
            const files = new Map([[made.file, made.glb], [from.file, from.glb]]);
            try {
                const result = await this.run(['retarget', made.file, from.file, '--clip', `${clip}`, '--no-lock-feet', '--free-hands', '-o', next], files);
                made = { file: next, glb: this.written(result, next) };
            } catch (error) {
                if (!(error instanceof Failed)) throw error;
                this.notice.value = { kind: 'info', title: `${what}: it stays behind`, text: error.message };
            }
        }
        return made;
    }

    /** What of its files a command was to write. */
    private written(result: Result, file: string): Uint8Array {
        const glb = result.files.get(file);
        if (!glb) throw new Error(`the command wrote no ${file}`);
        return glb;
    }

    private async show(title: string, file: string, glb: Uint8Array, step: string, known: Partial<Known> = {}): Promise<void> {
        const result = await this.engine.run(['info', file, '--json'], new Map([[file, glb]]));
        if (result.code !== 0) throw new Failed(result);
        if (isEmpty(decode<InfoReport>(result))) throw new Error(`${title}: there is nothing in it to show: no mesh, no skeleton of two joints or more, no clip`);
        const info = decode<InfoReport>(result);
        const fresh: Known = { how: null, rig: null, corrections: new Map(), chains: new Map(), own: (info.skins?.length ?? 0) > 0, weighed: (info.skins?.length ?? 0) > 0, motion: null, brought: null, work: false };
        const snapshot = { title, file, glb, info, step, ...fresh, ...known };
        // What cannot be shown does not take the place of what can.
        const put = await this.prepare(snapshot);
        this.history.push(snapshot, this.look());
        put();
    }

    private async go(what: string, find: () => Way | null): Promise<void> {
        await this.attempt(what, async () => {
            const step = find();
            if (!step) return;
            const put = step.snapshot === this.current ? null : await this.prepare(step.snapshot);
            this.history.go(step.at);
            put?.();
            if (step.look) await this.showLook(step.look);
        });
    }

    // A name that no earlier file has, so that the log, run again, does not overwrite what it still needs.
    private next(name: string, extension = 'glb'): string {
        return `${name}.${++this.count}.${extension}`;
    }
}
