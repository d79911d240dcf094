import type { App } from './app';
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

export function makeTools(app: App, hand: Hand, rig: RigPanel, lookButton: HTMLElement): Tools {
    const tryout = new Tryout(app, hand);
    const poser = new Poser(app, hand);
    const keyStrip = new KeyStrip(app, new Keys(app, poser));
    const panels = [animatePanel(app, hand, tryout), posePanel(app, hand, poser, keyStrip), weightsPanel(app, hand), checkPanel(app)];
    rig.slot.append(jointsSection(app, rig));
    const skinning = new Skinning(app, hand);
    panels.push(exportPanel(app, new FilmMaker(app, skinning)));
    const look = lookMenu(app, skinning, lookButton);
    return {
        panels: new Map(panels.map((panel) => [panel.name, panel])), skinning, tryout, toggleLook: look.toggle,
        over: [look.element, look.caption, tryBar(app, tryout)], below: [keyStrip.element],
    };
}
