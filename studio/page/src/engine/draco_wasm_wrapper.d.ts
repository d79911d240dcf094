declare module 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js' {
    const makeModule: unknown;
    export default makeModule;
}
