// All that was done to a character, as one thing that can be kept: characters by the names that the log gives them, steps
// of the history, commands, the files that were opened.
import type { Files } from './engine/protocol';
import type { Brought, Look, Moment, Snapshot } from './history';
import type { LogEntry } from './session';

type StoredLook = Omit<Look, 'pose'> & { pose: number[] | null };
type Places = [string, [number, number, number]][];
/** Files by the number of their folder, and their names there. */
type StoredBrought = Omit<Brought, 'files'> & { folder: number; names: string[] };
type StoredSnapshot = Omit<Snapshot, 'glb' | 'corrections' | 'chains' | 'brought'> & { corrections: Places; chains: Places; brought: StoredBrought | null };

interface StoredMoment {
    snapshot: number;
    step: string;
    before: StoredLook | null;
    after: StoredLook | null;
}

/** What is left when its bytes are aside: JSON. */
export interface DocumentState {
    format: typeof format;
    version: typeof version;
    snapshots: StoredSnapshot[];
    moments: StoredMoment[];
    at: number;
    /** The moment that the user has as a file; -1: none. */
    saved: number;
    log: LogEntry[];
    /** How many characters were made: names of new ones go on from it. */
    count: number;
    opened: { main: string; names: string[] } | null;
    look: StoredLook | null;
}

export interface Document {
    moments: Moment[];
    at: number;
    saved: Moment | null;
    log: LogEntry[];
    count: number;
    opened: { main: string; files: Files } | null;
    look: Look | null;
}

/** A document taken apart: what is JSON, and bytes by their names. */
export interface Parts {
    state: DocumentState;
    files: Files;
}

const format = 'limber document';
const version = 1;
const stateName = 'document.json';
const openedFolder = 'opened/';
const motionFolder = (folder: number): string => `motions/${folder}/`;
export const documentExtension = 'limber';

const storeLook = (look: Look | null): StoredLook | null => look && { ...look, pose: look.pose && [...look.pose] };
const readLook = (look: StoredLook | null): Look | null => look && { ...look, pose: look.pose && Float32Array.from(look.pose), pins: look.pins ?? [] };

export function takeApart({ moments, at, saved, log, count, opened, look }: Document): Parts {
    const snapshots = [...new Set(moments.map(({ snapshot }) => snapshot))];
    const files: Files = new Map(snapshots.map(({ file, glb }) => [file, glb]));
    for (const [name, bytes] of opened?.files ?? []) files.set(openedFolder + name, bytes);
    const brought = [...new Set(snapshots.flatMap((snapshot) => snapshot.brought?.files ?? []))];
    brought.forEach((of, folder) => of.forEach((bytes, name) => files.set(motionFolder(folder) + name, bytes)));
    const storeBrought = (one: Brought | null): StoredBrought | null => {
        if (!one) return null;
        const { files: own, ...rest } = one;
        return { ...rest, folder: brought.indexOf(own), names: [...own.keys()] };
    };
    const state: DocumentState = {
        format, version, at, count,
        snapshots: snapshots.map(({ glb: _, corrections, chains, brought: one, ...rest }) => ({ ...rest, corrections: [...corrections], chains: [...chains], brought: storeBrought(one) })),
        moments: moments.map(({ snapshot, step, before, after }) => ({ snapshot: snapshots.indexOf(snapshot), step, before: storeLook(before), after: storeLook(after) })),
        saved: saved ? moments.indexOf(saved) : -1,
        log: log.filter(({ code }) => code !== null),
        opened: opened && { main: opened.main, names: [...opened.files.keys()] },
        look: storeLook(look),
    };
    return { state, files };
}

/** Throws where it is no document, or bytes of it are missing. */
export function putTogether({ state, files }: Parts): Document {
    check(state);
    const bytesOf = (name: string): Uint8Array => {
        const bytes = files.get(name);
        if (!bytes) throw new Error(`the document names ${name}, which is not in it`);
        return bytes;
    };
    const folders = new Map<number, Files>();
    const readBrought = (one: StoredBrought | null | undefined): Brought | null => {
        if (!one) return null;
        const { folder, names, ...rest } = one;
        // Characters of one motion have its files in common.
        if (!folders.has(folder)) folders.set(folder, new Map(names.map((name) => [name, bytesOf(motionFolder(folder) + name)])));
        return { ...rest, files: folders.get(folder)! };
    };
    const snapshots = state.snapshots.map(({ corrections, chains, brought, ...rest }): Snapshot => ({ ...rest, weighed: rest.weighed ?? false, glb: bytesOf(rest.file), corrections: new Map(corrections), chains: new Map(chains), brought: readBrought(brought) }));
    const moments = state.moments.map(({ snapshot, step, before, after }): Moment => ({ snapshot: snapshots[snapshot]!, step, before: readLook(before), after: readLook(after) }));
    const { opened } = state;
    return {
        moments, at: state.at, saved: moments[state.saved] ?? null, log: state.log, count: state.count, look: readLook(state.look),
        opened: opened && { main: opened.main, files: new Map(opened.names.map((name) => [name, bytesOf(openedFolder + name)])) },
    };
}

function check(state: DocumentState): void {
    const expect = (holds: boolean, what: string): void => {
        if (!holds) throw new Error(`${stateName}: expected ${what}`);
    };
    const isLook = (look: StoredLook | null): boolean => look === null || (Number.isInteger(look.clip) && Number.isFinite(look.time) && (look.pose === null || (Array.isArray(look.pose) && look.pose.every(Number.isFinite))));
    expect(state?.format === format, `"format": "${format}"`);
    expect(state.version === version, `"version": ${version}, which is what this page reads, found ${state.version}`);
    expect(Array.isArray(state.snapshots) && state.snapshots.every((one) => typeof one?.file === 'string' && typeof one.title === 'string' && Array.isArray(one.info?.meshes) && Array.isArray(one.corrections) && Array.isArray(one.chains)), 'characters with a file, a title and what is known of them');
    expect(Array.isArray(state.moments) && state.moments.every((one) => state.snapshots[one?.snapshot] !== undefined && typeof one.step === 'string' && isLook(one.before) && isLook(one.after)), 'steps, each of a character that is there');
    expect(state.moments[state.at] !== undefined, `"at" to be one of ${state.moments.length} steps`);
    expect(Array.isArray(state.log) && state.log.every((entry) => typeof entry?.line === 'string' && typeof entry.messages === 'string'), 'a log of lines');
    expect(Number.isInteger(state.count) && isLook(state.look), 'a count, and how it is looked at');
    expect(state.opened === null || (typeof state.opened?.main === 'string' && Array.isArray(state.opened.names)), 'names of the files that were opened');
}

/** As files of an archive. What a shell repeats is among them. */
export function toFiles({ state, files }: Parts): Files {
    const text = (content: string): Uint8Array => new TextEncoder().encode(content);
    const commands = state.log.filter(({ code }) => code === 0).map(({ line }) => `${line}\n`).join('');
    return new Map([[stateName, text(`${JSON.stringify(state)}\n`)], ['commands.sh', text(commands)], ...files]);
}

export function isDocument(files: Files): boolean {
    return files.has(stateName);
}

export function fromFiles(files: Files): Document {
    let state: DocumentState;
    try {
        state = JSON.parse(new TextDecoder().decode(files.get(stateName))) as DocumentState;
    } catch (error) {
        throw new Error(`${stateName}: ${(error as Error).message}`);
    }
    return putTogether({ state, files });
}
