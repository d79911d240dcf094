import type { App } from '../app';
import { button, choice } from '../base/controls';
import { h } from '../base/dom';

const lines = (...all: (string | false)[]): string => all.filter((line) => line !== false).join('\n') + '\n';

/** Programs that play the file: what a page needs and nothing else. */
const programs: Record<string, (file: string, clip: string | null) => string> = {
    three: (file, clip) => lines(
        "import * as THREE from 'three';",
        "import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';",
        '',
        'const renderer = new THREE.WebGLRenderer({ antialias: true });',
        'renderer.setSize(innerWidth, innerHeight);',
        'document.body.append(renderer.domElement);',
        'const scene = new THREE.Scene();',
        'scene.background = new THREE.Color(0xdfe3ea);',
        'scene.add(new THREE.HemisphereLight(0xffffff, 0x888888, 3));',
        `const { scene: character${clip === null ? '' : ', animations'} } = await new GLTFLoader().loadAsync(${JSON.stringify(file)});`,
        'scene.add(character);',
        'const box = new THREE.Box3().setFromObject(character);',
        'const camera = new THREE.PerspectiveCamera(35, innerWidth / innerHeight, 0.01, 1000);',
        'box.getCenter(camera.position);',
        'camera.position.z += 2 * box.getSize(new THREE.Vector3()).length();',
        clip !== null && 'const mixer = new THREE.AnimationMixer(character);',
        clip !== null && `mixer.clipAction(THREE.AnimationClip.findByName(animations, ${JSON.stringify(clip)})).play();`,
        clip !== null && 'const clock = new THREE.Clock();',
        'renderer.setAnimationLoop(() => {',
        clip !== null && '    mixer.update(clock.getDelta());',
        '    renderer.render(scene, camera);',
        '});'),
    react: (file, clip) => lines(
        clip !== null && "import { useEffect } from 'react';",
        "import { Canvas } from '@react-three/fiber';",
        `import { Bounds, OrbitControls, ${clip === null ? '' : 'useAnimations, '}useGLTF } from '@react-three/drei';`,
        '',
        'function Character() {',
        `    const { scene${clip === null ? '' : ', animations'} } = useGLTF(${JSON.stringify(file)});`,
        clip !== null && '    const { actions } = useAnimations(animations, scene);',
        clip !== null && '    useEffect(() => {',
        clip !== null && `        actions[${JSON.stringify(clip)}]?.play();`,
        clip !== null && '    }, [actions]);',
        '    return <primitive object={scene} />;',
        '}',
        '',
        'export default function App() {',
        '    return (',
        '        <Canvas camera={{ fov: 35 }}>',
        '            <hemisphereLight args={[0xffffff, 0x888888, 3]} />',
        '            <Bounds fit clip observe><Character /></Bounds>',
        '            <OrbitControls makeDefault />',
        '        </Canvas>',
        '    );',
        '}'),
};

/** A program that plays the exported GLB, to be copied. */
export function snippetSection({ session, viewer }: App): HTMLElement {
    const kind = choice([['three', 'three.js'], ['react', 'React']], 'three', () => show());
    kind.setAttribute('aria-label', 'For what');
    const code = h('pre', { class: 'code snippet', tabIndex: 0, 'aria-label': 'Program that plays the file' });
    const element = h('details', {}, h('summary', {}, 'A program that plays it'), h('div', { class: 'stack chains' },
        h('div', { class: 'row' }, kind, button('Copy the program', () => void navigator.clipboard.writeText(code.textContent ?? ''), { icon: 'copy' })), code));
    function show(): void {
        const current = session.current;
        element.hidden = !current;
        if (current) code.textContent = programs[kind.value]!(`${current.title.replaceAll(' ', '-')}.glb`, viewer.player.clip?.name ?? current.info.clips?.[0]?.name ?? null);
    }
    session.history.current.watch(show);
    element.addEventListener('toggle', show);
    return element;
}
