import { Signal } from './base/signal';
import type { InfoReport, MotionReport, RigReport } from './reports';

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
    /** Of the command that rigged it, while its joints are where that left them. */
    rig: RigReport | null;
    /** Of the command that brought the newest clip. */
    motion: MotionReport | null;
}

// Old moments go when there are more bytes than this, the newest never.
const byteLimit = 512 * 1024 * 1024;

/** The moments of one session, for undo and redo. */
export class History {
    readonly current = new Signal<Snapshot | null>(null);
    private moments: Snapshot[] = [];
    private at = -1;

    push(snapshot: Snapshot): void {
        this.moments = [...this.moments.slice(0, this.at + 1), snapshot];
        let bytes = this.moments.reduce((sum, moment) => sum + moment.glb.length, 0);
        while (bytes > byteLimit && this.moments.length > 1) bytes -= this.moments.shift()!.glb.length;
        this.go(this.moments.length - 1);
    }

    get undoable(): string | null {
        return this.at > 0 ? this.moments[this.at]!.step : null;
    }

    get redoable(): string | null {
        return this.moments[this.at + 1]?.step ?? null;
    }

    undo(): void {
        if (this.at > 0) this.go(this.at - 1);
    }

    redo(): void {
        if (this.at + 1 < this.moments.length) this.go(this.at + 1);
    }

    private go(at: number): void {
        this.at = at;
        this.current.value = this.moments[at] ?? null;
    }
}
