// The character of the first screen, made by the module while the page is built: it moves before the module has arrived.

/** What a user would type for it. */
const lines = [
    'sample humanoid --seed 5 --pose t --whole --triangles 8000 -o body.glb',
    'animate body.glb walk wave dance-step --in-place -o hero.glb',
];

class Module {
    constructor(instance) {
        this.wasm = instance.exports;
        this.wasm._initialize();
    }

    text(string) {
        const bytes = Buffer.from(`${string}\0`);
        const at = this.wasm.limber_alloc(bytes.length);
        new Uint8Array(this.wasm.memory.buffer, at, bytes.length).set(bytes);
        return at;
    }

    copy(at, size) {
        return Buffer.from(new Uint8Array(this.wasm.memory.buffer, at, size));
    }

    run(line) {
        const words = ['limber', ...line.split(' ')].map((word) => this.text(word));
        const argv = this.wasm.limber_alloc(4 * (words.length + 1));
        new Uint32Array(this.wasm.memory.buffer, argv, words.length + 1).set([...words, 0]);
        const code = this.wasm.limber_run(words.length, argv);
        if (code !== 0) throw new Error(`limber ${line}: exit ${code}: ${this.copy(this.wasm.limber_messages(), this.wasm.limber_messages_size())}`);
    }

    file(name) {
        const text = this.text(name);
        return this.copy(this.wasm.limber_file_bytes(text), this.wasm.limber_file_size(text));
    }
}

export async function openModule(bytes) {
    return new Module((await WebAssembly.instantiate(bytes)).instance);
}

export function makeHero(module) {
    for (const line of lines) module.run(line);
    return module.file('hero.glb');
}
