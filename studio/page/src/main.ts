import type { App } from './app';
import { iconButton } from './base/controls';
import { h } from './base/dom';
import { Hand } from './hand';
import { Keeper } from './keeper';
import { characterPanel } from './panels/character';
import { rigPanel } from './panels/rig';
import type { Snapshot } from './history';
import { followLesson, outsideLesson } from './lesson/route';
import { facingOf } from './reports';
import { Session } from './session';
import { addressed, followAddress } from './ui/address';
import { acceptDrops } from './ui/drop';
import { guide } from './ui/guide';
import { header } from './ui/header';
import { listenToKeys } from './ui/keys';
import { logDrawer } from './ui/log';
import { keepOffline } from './ui/offline';
import { busyBar, noticeBox, welcome } from './ui/overlay';
import { later, tabs } from './ui/tabs';
import type { Tools } from './tools';
import { timeline } from './ui/timeline';
import { viewTools } from './ui/view_tools';
import { Character } from './view/character';
import { Hero } from './view/hero';
import { Viewer } from './view/viewer';

declare global {
    interface Window {
        limber: object;
    }
}

const canvas = h('canvas', { 'aria-label': 'The character; drag to turn it, scroll to come nearer', role: 'img', tabIndex: 0 });
const view = h('div', { class: 'view' }, canvas);
const main = h('main', { class: 'main' }, view);
document.body.append(main);

const session = new Session();
const viewer = new Viewer(canvas);
const app: App = { session, viewer };
const hand = new Hand(app);
/** For the console and for scripts: limber.run(['info', 'x.glb'], new Map([['x.glb', bytes]])). */
window.limber = { run: session.engine.run.bind(session.engine), session, viewer, hand };
const keeper = new Keeper(app);
Object.assign(window.limber, { keeper });
const log = logDrawer(app);
const lookButton = iconButton('eye', 'Look', () => void loadTools().then((loaded) => loaded.toggleLook(), () => {}));

const rig = rigPanel(app);
let arriving: Promise<Tools> | null = null;
/** Once: the code is asked for again only where it did not come. */
function loadTools(): Promise<Tools> {
    if (arriving) return arriving;
    arriving = import('./tools').then(async ({ makeTools }) => {
        const loaded = await makeTools(app, hand, rig, lookButton);
        view.append(...loaded.over);
        log.element.before(...loaded.below);
        Object.assign(window.limber, { skinning: loaded.skinning, tryout: loaded.tryout });
        return loaded;
    });
    arriving.catch((error: Error) => {
        arriving = null;
        session.notice.value = { kind: 'error', title: 'This tool did not come', text: error.message };
    });
    return arriving;
}
const panelOf = (name: string) => async () => (await loadTools()).panels.get(name)!;
const tools = tabs([
    characterPanel(app, keeper), rig, later('Animate', 'play', panelOf('Animate')), later('Pose', 'hand', panelOf('Pose')),
    later('Weights', 'brush', panelOf('Weights')), later('Check', 'check', panelOf('Check')), later('Export', 'save', panelOf('Export')),
]);
const buttons = viewTools(app, lookButton);
view.append(buttons, busyBar(app), welcome(app, keeper));
main.append(guide(app, hand, tools), timeline(app), log.element);
document.body.prepend(header(app, log.toggle), noticeBox(app), h('aside', { class: 'side', 'aria-label': 'Tools' }, tools.bar, tools.holder));
session.history.current.watch((current) => {
    document.documentElement.classList.toggle('nobody', current === null);
    if (session.isRigged) void loadTools().catch(() => {});
});
acceptDrops(app, view);
followLesson(app, tools.show);
keepOffline(app);
listenToKeys(app, (label) => buttons.querySelector<HTMLButtonElement>(`[aria-label="${label}"]`)?.click());

/** A clip that a step brought is the first and is played; at any other step the player goes on with the clip that it had. */
function put(character: Character, snapshot: Snapshot): void {
    const before = viewer.player.clip?.name;
    viewer.show(character, new Map((snapshot.rig?.joints ?? []).map((joint) => [joint.name, joint.confidence])), facingOf(snapshot.info));
    const fresh = /^(animate|open|pose)/.test(snapshot.step);
    // Keys that were set are looked at where they are.
    if (snapshot.step.startsWith('key')) return viewer.player.select(character.clips[0] ?? null);
    const clip = fresh ? (character.together[0] ?? character.clips.find((one) => one.duration > 0) ?? character.clips[0]) : character.playable.find((one) => one.name === before);
    if (!clip) return;
    viewer.player.select(clip);
    viewer.player.play(clip.duration > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
}

session.look = () => {
    const { player } = viewer;
    return { clip: player.clip ? (viewer.character.value?.playable.indexOf(player.clip) ?? -1) : -1, time: player.time, playing: player.playing, pose: hand.held, pins: [...hand.pins.value] };
};
session.showLook = async ({ clip, time, playing, pose, pins }) => {
    const { player } = viewer;
    player.select(viewer.character.value?.playable[clip] ?? null);
    player.seek(time);
    player.play(playing && !pose);
    if (pins.length) await hand.hold(new Map(pins));
    if (pose) await hand.take(pose);
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
    if (session.history.unsaved && keeper.state.value !== 'kept') event.preventDefault();
});

/** Somebody moves there until there is a character. */
function showHero(): void {
    const hero = new Hero(viewer.stage);
    session.history.current.watch((current) => current && hero.leave());
    outsideLesson(() => void hero.enter(session.engine, matchMedia('(prefers-reduced-motion: reduce)').matches).catch(() => hero.leave()));
}

/** What this tab had before it was loaded anew, else what the address says, else the first screen. */
async function begin(): Promise<void> {
    const resumed = await keeper.resume();
    if (!resumed && !addressed()) showHero();
    await followAddress(app, !resumed);
}
void begin().then(() => document.documentElement.classList.add('ready'));
