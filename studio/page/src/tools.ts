import type { App } from './app';
import { nextTask } from './base/slices';
import { FilmMaker } from './film';
import type { Hand } from './hand';
import { Keys } from './keys';
import { animatePanel } from './panels/animate';
import { checkPanel } from './panels/check';
import { exportPanel } from './panels/export';
import { jointsSection } from './panels/joints';
import { posePanel } from './panels/pose';
import type { RigPanel } from './panels/rig';
import { weightsPanel } from './panels/weights';
import { Poser } from './poser';
import { Skinning } from './skinning';
import { Tryout } from './tryout';
import { KeyStrip } from './ui/key_strip';
import { lookMenu } from './ui/look_menu';
import type { Panel } from './ui/tabs';
import { tryBar } from './ui/try_bar';

/** What is used on a character with joints: its code comes when there is one. */
export interface Tools {
    panels: Map<string, Panel>;
    skinning: Skinning;
    tryout: Tryout;
    toggleLook(): void;
    /** Over the picture, and below it. */
    over: HTMLElement[];
    below: HTMLElement[];
}

/** Made a part a task: all at once they would hold the page up. */
export async function makeTools(app: App, hand: Hand, rig: RigPanel, lookButton: HTMLElement): Promise<Tools> {
    const made = async <T>(part: T): Promise<T> => (await nextTask(), part);
    const tryout = await made(new Tryout(app, hand));
    const poser = new Poser(app, hand);
    const keyStrip = await made(new KeyStrip(app, new Keys(app, poser)));
    const panels = [await made(animatePanel(app, hand, tryout)), await made(posePanel(app, hand, poser, keyStrip)), await made(weightsPanel(app, hand)), await made(checkPanel(app))];
    rig.slot.append(await made(jointsSection(app, rig)));
    const skinning = await made(new Skinning(app, hand));
    panels.push(await made(exportPanel(app, new FilmMaker(app, skinning))));
    const look = lookMenu(app, skinning, lookButton);
    return {
        panels: new Map(panels.map((panel) => [panel.name, panel])), skinning, tryout, toggleLook: look.toggle,
        over: [look.element, look.caption, tryBar(app, tryout)], below: [keyStrip.element],
    };
}
