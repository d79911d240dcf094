import { Signal } from './base/signal';
import type { Files } from './engine/protocol';
import type { InfoReport, MotionReport, RigReport, Triple } from './reports';

/** One side of a joint map: what joint is which bone, null for none. A bone that is not named is found as usual. */
export type MapSide = Record<string, unknown>;

/** What `--map` reads, as far as it says something. */
export interface JointMap {
    character?: MapSide;
    motion?: MapSide;
}

/** A motion that was put on a character, or was to be: what is needed to do it once more by another map. */
export interface Brought {
    /** The name of the file, or of the made motion: then there are no files. */
    main: string;
    files: Files;
    options: string[];
    /** Of the clip. */
    name: string;
    /** The character that it was put on, by its name in the log; null: the one on show. */
    from: string | null;
    map: JointMap;
}

/** A whole character at one moment: the bytes of a GLB and what is known about them. Never changed. */
export interface Snapshot {
    /** The name that the log's commands give it. */
    file: string;
    /** The name that the user gave it, without extension. */
    title: string;
    glb: Uint8Array;
    info: InfoReport;
    /** What was done to get here. */
    step: string;
    /** Whether it is more than a file that was opened. */
    work: boolean;
    /** Of the command that rigged it, while its joints are where that left them. */
    rig: RigReport | null;
    /** The command that made it out of the one before, without its files; null: that is not all there is to it. */
    how: string[] | null;
    /** Joints that were put by hand before it was rigged. */
    corrections: ReadonlyMap<string, Triple>;
    /** Ends of chains that were pointed at before it was rigged. */
    chains: ReadonlyMap<string, Triple>;
    /** Whether its joints are the user's own, and not those that `rig` finds: it came with them, or they were edited. */
    own: boolean;
    /** Whether its weights are the user's own, and not those that `rig` makes: they came with it, or they were edited. */
    weighed: boolean;
    /** Of the command that brought the newest clip. */
    motion: MotionReport | null;
    /** What was put on then. */
    brought: Brought | null;
}

/** How a character is seen: where the player stands, or a pose that hands made. */
export interface Look {
    /** Its index among the clips, -1 for the rest pose. */
    clip: number;
    time: number;
    playing: boolean;
    /** As hand.ts has it; null while the player poses the character. */
    pose: Float32Array | null;
    /** Joints that stay where they are while others are dragged, or do not, by the user's choice. */
    pins: [string, boolean][];
}

/** One thing that the user did. */
export interface Moment {
    snapshot: Snapshot;
    step: string;
    /** What was seen before it: undoing it shows that again. */
    before: Look | null;
    /** What doing it again shows; null: what a new character is shown as. */
    after: Look | null;
}

/** Where a step of undo or redo leads. */
export interface Way {
    at: number;
    snapshot: Snapshot;
    look: Look | null;
}

// Old moments go when their characters have more bytes than this, the newest never.
const byteLimit = 512 * 1024 * 1024;

function bytesOf(moments: Moment[]): number {
    return [...new Set(moments.map(({ snapshot }) => snapshot))].reduce((sum, { glb }) => sum + glb.length, 0);
}

/** The moments of one session, for undo and redo: characters, and poses of them. */
export class History {
    readonly current = new Signal<Snapshot | null>(null);
    /** Tells after every step. */
    readonly changed = new Signal(0);
    private moments: Moment[] = [];
    /** The moment that the user has as a file. */
    private saved: Moment | null = null;
    private at = -1;

    push(snapshot: Snapshot, before: Look | null): void {
        this.add({ snapshot, step: snapshot.step, before, after: null });
    }

    /** The same character, posed by hand. */
    pushPose(step: string, before: Look, after: Look): void {
        if (this.current.value) this.add({ snapshot: this.current.value, step, before, after });
    }

    /** Whether something was done to what was opened that is in no file yet. */
    get unsaved(): boolean {
        const now = this.moments[this.at];
        return now !== undefined && now !== this.saved && (now.snapshot.work || now.after !== null);
    }

    markSaved(): void {
        this.saved = this.moments[this.at] ?? null;
    }

    /** What was done last. */
    get step(): string {
        return this.moments[this.at]?.step ?? '';
    }

    get undoable(): string | null {
        return this.at > 0 ? this.moments[this.at]!.step : null;
    }

    get redoable(): string | null {
        return this.moments[this.at + 1]?.step ?? null;
    }

    get back(): Way | null {
        return this.at > 0 ? { at: this.at - 1, snapshot: this.moments[this.at - 1]!.snapshot, look: this.moments[this.at]!.before } : null;
    }

    get forth(): Way | null {
        const next = this.moments[this.at + 1];
        return next ? { at: this.at + 1, snapshot: next.snapshot, look: next.after } : null;
    }

    go(at: number): void {
        this.at = at;
        const { snapshot } = this.moments[at]!;
        if (snapshot !== this.current.value) this.current.value = snapshot;
        this.changed.value++;
    }

    /** All of it, to be kept elsewhere. */
    get contents(): { moments: Moment[]; at: number; saved: Moment | null } {
        return { moments: [...this.moments], at: this.at, saved: this.saved };
    }

    /** Another history in place of this one. */
    restore(moments: Moment[], at: number, saved: Moment | null): void {
        this.moments = [...moments];
        this.saved = saved;
        this.go(at);
    }

    private add(moment: Moment): void {
        this.moments = [...this.moments.slice(0, this.at + 1), moment];
        while (this.moments.length > 1 && bytesOf(this.moments) > byteLimit) this.moments.shift();
        this.go(this.moments.length - 1);
    }
}
