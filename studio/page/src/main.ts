import type { App } from './app';
import { h } from './base/dom';
import { Hand } from './hand';
import { Keys } from './keys';
import { animatePanel } from './panels/animate';
import { characterPanel } from './panels/character';
import { checkPanel } from './panels/check';
import { exportPanel } from './panels/export';
import { posePanel } from './panels/pose';
import { rigPanel } from './panels/rig';
import { weightsPanel } from './panels/weights';
import type { Snapshot } from './history';
import { Poser } from './poser';
import { followLesson, outsideLesson } from './lesson/route';
import { Session } from './session';
import { Skinning } from './skinning';
import { addressed, followAddress } from './ui/address';
import { acceptDrops } from './ui/drop';
import { guide } from './ui/guide';
import { header } from './ui/header';
import { KeyStrip } from './ui/key_strip';
import { listenToKeys } from './ui/keys';
import { logDrawer } from './ui/log';
import { lookMenu } from './ui/look_menu';
import { busyBar, noticeBox, welcome } from './ui/overlay';
import { tabs } from './ui/tabs';
import { timeline } from './ui/timeline';
import { tryBar } from './ui/try_bar';
import { viewTools } from './ui/view_tools';
import { Tryout } from './tryout';
import { Character } from './view/character';
import { Hero } from './view/hero';
import { Viewer } from './view/viewer';

const canvas = h('canvas', { 'aria-label': 'The character; drag to turn it, scroll to come nearer', role: 'img', tabIndex: 0 });
const view = h('div', { class: 'view' }, canvas);
const main = h('main', { class: 'main' }, view);
document.body.append(main);

const session = new Session();
const viewer = new Viewer(canvas);
const app: App = { session, viewer };
const hand = new Hand(app);
const tryout = new Tryout(app, hand);
const poser = new Poser(app, hand);
const keyStrip = new KeyStrip(app, new Keys(app, poser));
const log = logDrawer(app);
const tools = tabs([characterPanel(app), rigPanel(app), animatePanel(app, hand, tryout), posePanel(app, hand, poser, keyStrip), weightsPanel(app, hand), checkPanel(app), exportPanel(app)]);
const skinning = new Skinning(app, hand);
const look = lookMenu(app, skinning);
const buttons = viewTools(app, look.button);
view.append(buttons, look.element, look.caption, tryBar(app, tryout), busyBar(app), welcome(app), noticeBox(app));
main.append(guide(app, hand, tools), timeline(app), keyStrip.element, log.element);
document.body.prepend(header(app, log.toggle), h('aside', { class: 'side', 'aria-label': 'Tools' }, tools.bar, tools.holder));
session.history.current.watch((current) => document.documentElement.classList.toggle('nobody', current === null));
acceptDrops(app, view);
followLesson(app, tools.show);
listenToKeys(app, (label) => buttons.querySelector<HTMLButtonElement>(`[aria-label="${label}"]`)?.click());

/** A clip that a step brought is the first and is played; at any other step the player goes on with the clip that it had. */
function put(character: Character, snapshot: Snapshot): void {
    const before = viewer.player.clip?.name;
    viewer.show(character, new Map((snapshot.rig?.joints ?? []).map((joint) => [joint.name, joint.confidence])));
    const fresh = /^(animate|open|pose)/.test(snapshot.step);
    // Keys that were set are looked at where they are.
    if (snapshot.step.startsWith('key')) return viewer.player.select(character.clips[0] ?? null);
    const clip = fresh ? (character.clips.find((one) => one.duration > 0) ?? character.clips[0]) : character.clips.find((one) => one.name === before);
    if (!clip) return;
    viewer.player.select(clip);
    viewer.player.play(clip.duration > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
}

session.look = () => {
    const { player } = viewer;
    return { clip: player.clip ? (viewer.character.value?.clips.indexOf(player.clip) ?? -1) : -1, time: player.time, playing: player.playing, pose: hand.held };
};
session.showLook = async ({ clip, time, playing, pose }) => {
    const { player } = viewer;
    player.select(viewer.character.value?.clips[clip] ?? null);
    player.seek(time);
    player.play(playing && !pose);
    if (pose) await hand.hold(pose);
};

session.prepare = async (snapshot) => {
    const character = await Character.load(await session.engine.picture(snapshot.glb));
    await viewer.stage.ready(character.root);
    return () => put(character, snapshot);
};

function recolour(): void {
    viewer.stage.floor.recolour(getComputedStyle(document.documentElement).colorScheme === 'dark' || (matchMedia('(prefers-color-scheme: dark)').matches && !document.documentElement.dataset.theme) ? '#b7bfd4' : '#59627a');
    viewer.stage.draw();
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
addEventListener('themechange', recolour);
recolour();

// The browser asks, in its own words, before work is lost.
addEventListener('beforeunload', (event) => {
    if (session.history.unsaved) event.preventDefault();
});

// Somebody moves there until there is a character.
if (!addressed()) {
    const hero = new Hero(viewer.stage);
    session.history.current.watch((current) => current && hero.leave());
    outsideLesson(() => void hero.enter(session.engine, matchMedia('(prefers-reduced-motion: reduce)').matches).catch(() => hero.leave()));
}

/** For the console and for scripts: limber.run(['info', 'x.glb'], new Map([['x.glb', bytes]])). */
Object.assign(window, { limber: { run: session.engine.run.bind(session.engine), session, viewer, hand, skinning, tryout } });
void followAddress(app).then(() => document.documentElement.classList.add('ready'));
