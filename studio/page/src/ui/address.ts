import type { App } from '../app';
import type { Files } from '../engine/protocol';
import { isLesson } from '../lesson/route';
import { sampleOptions } from '../session';

// State in the address: #file=NAME, #sample=KIND:SEED, what was done to the sample (`do`), and where the player stands: clip, time.
type State = Record<string, string>;

function read(): State {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Whether the address says what to open. */
export function addressed(): boolean {
    const { file, sample } = read();
    return Boolean(file || sample);
}

/** What the address says is opened first, unless something else is there already; where the player stands is written back into it. */
export async function followAddress({ session, viewer }: App, opens: boolean): Promise<void> {
    const state = read();
    if (opens && state.file) await openServed(session, state.file);
    else if (opens && state.sample) {
        const [kind = 'humanoid', seed = '1'] = state.sample.split(':');
        await session.sample(kind, Number(seed) || 1, sampleOptions(kind));
        if (state.do) await repeat(session, state.do);
    }
    const clip = viewer.character.value?.playable.find((one) => one.name === state.clip);
    if (clip && !session.look()?.pose) {
        viewer.player.select(clip);
        viewer.player.seek(Number(state.time) || 0);
    }
    const tell = (): void => {
        if (viewer.player.playing || !session.current || isLesson()) return;
        const now = read();
        delete now.clip;
        delete now.time;
        if (viewer.player.clip) Object.assign(now, { clip: viewer.player.clip.name, time: viewer.player.time.toFixed(3) });
        const hash = `#${new URLSearchParams(now)}`;
        if (hash !== location.hash) history.replaceState(null, '', hash);
    };
    // Once for all that changes together: browsers take their time to change it.
    let due = 0;
    viewer.player.changed.watch(() => {
        clearTimeout(due);
        due = window.setTimeout(tell);
    });
}

// What was done to the sample, as the link has it.
async function repeat(session: App['session'], text: string): Promise<void> {
    try {
        const steps = JSON.parse(text) as unknown;
        if (!Array.isArray(steps) || !steps.every((how) => Array.isArray(how) && how.every((word) => typeof word === 'string'))) throw new Error('expected lists of words');
        for (const how of steps as string[][]) if ((await session.repeat(how)) === null) return;
    } catch (error) {
        session.notice.value = { kind: 'error', title: 'The link cannot be followed', text: (error as Error).message };
    }
}

async function fetchFile(name: string): Promise<Uint8Array> {
    const answer = await fetch(`file/${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(`file/${name}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
}

// `limber studio FILE` serves the file under /file/, and those beside it. One that it names and that is not there is the command's to tell.
async function openServed(session: App['session'], name: string): Promise<void> {
    await session.open(`Reading ${name}`, () => fetchWhole(session, name));
}

async function fetchWhole({ engine }: App['session'], name: string): Promise<Files> {
    const files: Files = new Map();
    const wanted: string[] = [];
    // A mesh as text is long: what it names is looked for beside the page.
    const add = async (one: string, content: Uint8Array): Promise<void> => {
        const { names, bytes } = await engine.naming(one, content);
        files.set(one, bytes);
        wanted.push(...names);
    };
    await add(name, await fetchFile(name));
    for (const other of wanted) {
        if (files.has(other)) continue;
        const bytes = await fetchFile(other).catch(() => null);
        if (bytes) await add(other, bytes);
    }
    return files;
}
