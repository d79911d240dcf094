import type { App } from '../app';
import { h } from '../base/dom';
import { extension } from '../base/shell';
import { unzip } from '../base/unzip';
import { documentExtension } from '../document';
import type { Files } from '../engine/protocol';

// Where a file lay in the folder that was dropped.
const paths = new WeakMap<File, string>();

function pathOf(file: File): string {
    return paths.get(file) ?? file.name;
}

export async function openFiles(app: App, files: File[]): Promise<void> {
    if (files.length === 0) return;
    const archive = files.find(isArchive);
    await app.session.open(archive ? `Unpacking ${archive.name}` : `Reading ${files[0]!.name}`, async () => {
        const contents: Files = new Map();
        for (const file of files) for (const [name, bytes] of await unpacked(file)) contents.set(name, bytes);
        return contents;
    });
}

function isArchive(file: File): boolean {
    return ['zip', documentExtension].includes(extension(file.name));
}

// Folders of an archive stay: files name others by their path.
async function unpacked(file: File): Promise<Files> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!isArchive(file)) return new Map([[pathOf(file), bytes]]);
    const inside = await unzip(bytes);
    if (inside.size === 0) throw new Error(`${file.name}: an empty zip archive`);
    return inside;
}

// A folder hands out its entries in parts, until there are none.
async function filesIn(entry: FileSystemEntry): Promise<File[]> {
    if (entry.isFile) {
        const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
        paths.set(file, entry.fullPath.slice(1));
        return [file];
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const out: File[] = [];
    for (;;) {
        const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
        if (part.length === 0) return out;
        for (const inner of part) out.push(...(await filesIn(inner)));
    }
}

/** Files and folders dropped anywhere on the page are opened. */
export function acceptDrops(app: App, over: HTMLElement): void {
    const sign = h('div', { class: 'dropped', hidden: true }, 'Drop to open');
    over.append(sign);
    let depth = 0;
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    addEventListener('dragenter', (event) => {
        if (carriesFiles(event)) sign.hidden = ++depth === 0;
    });
    addEventListener('dragleave', (event) => {
        if (carriesFiles(event)) sign.hidden = --depth <= 0;
    });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', async (event) => {
        event.preventDefault();
        depth = 0;
        sign.hidden = true;
        // Entries are gone after the first await.
        const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
        const files: File[] = [];
        for (const entry of entries) files.push(...(await filesIn(entry)));
        await openFiles(app, files.length ? files : [...(event.dataTransfer?.files ?? [])]);
    });
}
