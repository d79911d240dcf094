import * as THREE from 'three';
import type { Engine } from '../engine/engine';
import { Character } from './character';
import type { Stage } from './stage';

// The words of the first screen are at the left, or below where it is narrow; the character has the rest.
const narrow = 640;
const besideWords = (width: number): [number, number] => (width < narrow ? [0, -72] : [Math.min(200, width / 4), 0]);

// How long a motion is shown, and how long one becomes the next.
const shownSeconds = 5;
const fadeSeconds = 0.5;

/** Who moves on the first screen, until there is a character of the user's own. */
export class Hero {
    private character: Character | null = null;
    private mixer: THREE.AnimationMixer | null = null;
    private actions: THREE.AnimationAction[] = [];
    private shown = 0;
    private since = 0;
    private wanted = true;
    private readonly step = (seconds: number): boolean => this.move(seconds);

    constructor(private readonly stage: Stage) {}

    /** `still`: who asks for less motion sees one moment of it. */
    async enter(engine: Engine, still: boolean): Promise<void> {
        const answer = await fetch(new URL('hero.glb', document.baseURI));
        if (!answer.ok) return;
        const character = await Character.load(await engine.picture(new Uint8Array(await answer.arrayBuffer())));
        if (!this.wanted) return character.dispose();
        this.character = character;
        this.mixer = new THREE.AnimationMixer(character.root);
        this.actions = character.clips.map((clip) => this.mixer!.clipAction(clip));
        this.actions[0]?.play();
        this.mixer.update(0.2);
        this.stage.scene.add(character.root);
        this.bend();
        this.stage.floor.fit(character.box);
        this.stage.frame(character.box);
        this.stage.aside = besideWords;
        this.stage.settleAside();
        if (!still) this.stage.before.add(this.step);
        this.stage.draw();
    }

    leave(): void {
        this.wanted = false;
        if (!this.character) return;
        this.stage.before.delete(this.step);
        this.mixer?.stopAllAction();
        this.character.dispose();
        this.character = null;
        this.stage.aside = null;
        this.stage.settleAside();
    }

    private bend(): void {
        this.character?.root.updateMatrixWorld();
        this.character?.bend();
    }

    private move(seconds: number): boolean {
        this.since += seconds;
        if (this.since > shownSeconds && this.actions.length > 1) {
            const before = this.actions[this.shown]!;
            this.shown = (this.shown + 1) % this.actions.length;
            this.since = 0;
            this.actions[this.shown]!.reset().play().crossFadeFrom(before, fadeSeconds, false);
        }
        this.mixer?.update(seconds);
        this.bend();
        return true;
    }
}
