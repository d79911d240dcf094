/** Made while the page is built, by the module: docs/gpu.md's text for WebGL 2, by how many joints a vertex follows. */
declare module 'limber-shaders' {
    const shaders: Record<'linear' | 'dual', Record<4 | 8, string>>;
    export default shaders;
}

/** The same for WebGPU. */
declare module 'limber-wgsl' {
    const texts: Record<'linear' | 'dual', Record<4 | 8, string>>;
    export default texts;
}
