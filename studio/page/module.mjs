// What the module makes while the page is built: the character of the first screen, which moves before the module has
// arrived, and the text of the shaders that skin.

/** What a user would type for the character. */
const lines = [
    'sample humanoid --seed 5 --pose t --whole --triangles 6000 -o body.glb',
    'animate body.glb walk wave dance-step --in-place -o hero.glb',
    // No point of the skin more than half a millimetre off, by half the keys. What is made comes first: the last is the first.
    ...['dance-step', 'wave', 'walk'].map((clip) => `clean hero.glb --clip ${clip} --instead --keep-spikes --keep-gaps --keep-feet --reduce 0.0005 -o hero.glb`),
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

    read(at) {
        const memory = Buffer.from(this.wasm.memory.buffer);
        return memory.toString('utf8', at, memory.indexOf(0, at));
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

const plain = (text) => text.replace(/\s*\/\/.*$/gm, '').replace(/\n+/g, '\n');
const byMethod = (text) => Object.fromEntries([['linear', 0], ['dual', 1]].map(([name, dual]) => [name, { 4: text(dual, 4), 8: text(dual, 8) }]));

/** By method and by how many joints a vertex follows, without the comments, and without what three.js writes or chooses: the
 * version, and where attributes are. */
export function makeShaders(module) {
    return byMethod((dual, influences) => plain(module.read(module.wasm.limber_gpu_text(dual, influences)).replace(/^#version.*\n/, '').replace(/layout\(location = \d+\) /g, '')));
}

export function makeWgsl(module) {
    return byMethod((dual, influences) => plain(module.read(module.wasm.limber_gpu_wgsl(dual, influences))));
}
