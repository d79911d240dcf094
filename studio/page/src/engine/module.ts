import type { Instance } from './instance';
import type { Files, Result } from './protocol';

export interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    limber_alloc(size: number): number;
    limber_free(block: number): void;
    limber_file_put(name: number, bytes: number, size: number): number;
    limber_file_size(name: number): number;
    limber_file_bytes(name: number): number;
    limber_file_remove(name: number): void;
    limber_file_count(): number;
    limber_file_name(index: number): number;
    limber_run(argc: number, argv: number): number;
    limber_output(): number;
    limber_output_size(): number;
    limber_messages(): number;
    limber_messages_size(): number;
    limber_watch(callback: number): void;
    limber_helper_stack?(): number;
    limber_helper_count?(): number;
    __indirect_function_table: WebAssembly.Table;
}

/** How far a command is. */
export interface Progress {
    stage: string;
    /** 0 to 1, of the stage. */
    fraction: number;
}

// (module (import "e" "f" (func (param i32 i32))) (export "f" (func 0))): a table takes no other functions than a module's.
const wrapper = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 2, 0x7f, 0x7f, 0, 2, 7, 1, 1, 0x65, 1, 0x66, 0, 0, 7, 5, 1, 1, 0x66, 0, 0]);
const progressLine = /^progress (.+) (\d+)%$/;

/** Calls by the frame; studio/live_exports.h says what each does. */
export type LiveExports = Exports & Record<`limber_${string}`, (...args: number[]) => number>;

/** One instance of the library and the command line, with its files in memory. */
export class LimberModule {
    protected readonly wasm: Exports;

    constructor(private readonly instance: Instance) {
        this.wasm = instance.exports;
    }

    /** It is of no use any more, and whatever thread helped it stops. */
    end(): void {
        this.instance.end();
    }

    /** Tells how far a command is, from within it. */
    watch(report: (progress: Progress) => void): void {
        let line = '';
        const piece = (at: number, size: number): void => {
            const lines = (line + new TextDecoder().decode(this.copy(at, size))).split('\n');
            line = lines.pop()!;
            for (const one of lines) {
                const [, stage, percent] = progressLine.exec(one) ?? [];
                if (stage !== undefined) report({ stage, fraction: Number(percent) / 100 });
            }
        };
        const { f } = new WebAssembly.Instance(new WebAssembly.Module(wrapper), { e: { f: piece } }).exports;
        const table = this.wasm.__indirect_function_table;
        const index = table.grow(1);
        table.set(index, f);
        this.wasm.limber_watch(index);
    }

    get memorySize(): number {
        return this.wasm.memory.buffer.byteLength;
    }

    /** Runs a command line with these files at hand and nothing else. */
    run(args: string[], files: Files): Result {
        this.clear();
        for (const [name, bytes] of files) this.put(name, bytes);
        const blocks = ['limber', ...args, '--progress', 'plain'].map((text) => this.text(text));
        const argv = this.block(4 * (blocks.length + 1));
        new Uint32Array(this.wasm.memory.buffer, argv, blocks.length + 1).set([...blocks, 0]);
        const code = this.wasm.limber_run(blocks.length, argv);
        for (const block of [...blocks, argv]) this.wasm.limber_free(block);
        const result = {
            code,
            output: this.copy(this.wasm.limber_output(), this.wasm.limber_output_size()),
            messages: this.messages(),
            files: this.written(files),
        };
        this.clear();
        return result;
    }

    /** What the last command wrote to stderr, but for how far it was: there even when it trapped. */
    messages(): string {
        const said = new TextDecoder().decode(this.copy(this.wasm.limber_messages(), this.wasm.limber_messages_size()));
        return said.split('\n').filter((line) => !progressLine.test(line)).join('\n');
    }

    /** The files that are there now and were not handed in. */
    private written(given: Files): Files {
        const out: Files = new Map();
        for (const name of this.names()) {
            const text = this.text(name);
            if (!given.has(name)) out.set(name, this.copy(this.wasm.limber_file_bytes(text), this.wasm.limber_file_size(text)));
            this.wasm.limber_free(text);
        }
        return out;
    }

    private names(): string[] {
        return Array.from({ length: this.wasm.limber_file_count() }, (_, i) => this.read(this.wasm.limber_file_name(i)));
    }

    private clear(): void {
        for (const name of this.names()) {
            const text = this.text(name);
            this.wasm.limber_file_remove(text);
            this.wasm.limber_free(text);
        }
    }

    protected put(name: string, bytes: Uint8Array): void {
        const text = this.text(name);
        const block = this.block(bytes.length);
        new Uint8Array(this.wasm.memory.buffer, block, bytes.length).set(bytes);
        const kept = this.wasm.limber_file_put(text, block, bytes.length);
        this.wasm.limber_free(block);
        this.wasm.limber_free(text);
        if (!kept) throw new Error('out of memory');
    }

    protected block(size: number): number {
        const block = this.wasm.limber_alloc(size);
        if (block === 0) throw new Error('out of memory');
        return block;
    }

    protected text(text: string): number {
        const bytes = new TextEncoder().encode(text);
        const block = this.block(bytes.length + 1);
        const memory = new Uint8Array(this.wasm.memory.buffer, block, bytes.length + 1);
        memory.set(bytes);
        memory[bytes.length] = 0;
        return block;
    }

    protected read(pointer: number): string {
        const memory = new Uint8Array(this.wasm.memory.buffer, pointer);
        return new TextDecoder().decode(this.copy(pointer, memory.indexOf(0)));
    }

    // A copy: the module's memory moves when it grows, and where threads share it neither decoders nor messages take it.
    protected copy(pointer: number, size: number): Uint8Array {
        return new Uint8Array(this.wasm.memory.buffer, pointer, size).slice();
    }
}
