import type { LiveCall } from './live_module';
import type { Progress } from './module';
import type { Picture } from './picture';

/** What the page and its worker say to each other. */
export type Files = Map<string, Uint8Array>;

/** The extension of glTF for meshes that are decoded outside of the module. */
export const dracoName = 'KHR_draco_mesh_compression';

/** Bytes that the worker was handed before, by their number. */
export interface Handed {
    handed: number;
}

/** What the page hands over piece by piece, and takes back. */
export type Handing = { handed: number; size: number } | { handed: number; at: number; piece: Uint8Array } | { dropped: number };

export type Request = { id: number; args: string[]; files: Map<string, Uint8Array | Handed> } | { id: number; live: LiveCall; args: unknown[] } | { id: number; picture: Uint8Array | Handed } | { id: number; naming: string; bytes: Uint8Array } | { id: number; bitmap: ImageBitmap };

export interface Result {
    /** The exit code of the command. */
    code: number;
    /** What it wrote to stdout, and to stderr. */
    output: Uint8Array;
    messages: string;
    /** The files that it wrote. */
    files: Files;
}

/** What other files a file names, and its bytes, which were lent. */
export interface Named {
    names: string[];
    bytes: Uint8Array;
}

/** `trap` says why the module stopped dead: its memory is not to be trusted after that. */
export type Reply = { id: number; result: Result } | { id: number; value: unknown } | { id: number; picture: Picture } | { id: number; named: Named } | { id: number; encoded: Blob } | { id: number; trap: string } | { id: number; progress: Progress };
