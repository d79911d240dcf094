import { inPieces } from './slices';

/** A blob of many bytes, made a piece a task: the browser copies them while the page waits. */
export async function blobOf(bytes: Uint8Array): Promise<Blob> {
    const pieces: Blob[] = [];
    await inPieces(bytes, (piece) => pieces.push(new Blob([piece as Uint8Array<ArrayBuffer>])));
    return new Blob(pieces);
}
