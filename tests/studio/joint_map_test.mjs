// Which joint of a motion goes to which of the character: seen, changed by lists and by clicks on joints, done once more
// by a map that the log has; of a motion that did not come by itself too.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { bytesOf, drawn, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1100, height: 800 });
const state = (read, given) => page.evaluate(read, given);
const lines = () => state(() => window.limber.session.log.value.map(({ line }) => line));
const row = (bone) => page.locator(`.joint-row[aria-label="${bone}"]`);
const list = (label) => page.getByLabel(label, { exact: true });
const said = () => page.textContent('.panel details:has(> .joint-map) > [role=status]');
const apply = page.locator('.panel button:text-is("Put it on by this map")');
const bytes = () => bytesOf(page);
const clips = () => state(() => window.limber.session.current.info.clips.map(({ name }) => name));

/** How far a hand is below its shoulder at a moment, of the body's height. */
const hangs = (side, time) => state(([side, time]) => {
    const { viewer } = window.limber, { joints, box } = viewer.character.value;
    viewer.player.play(false);
    viewer.player.seek(time);
    viewer.stage.scene.updateMatrixWorld();
    const height = (joint) => joints.find(({ name }) => name === joint).node.matrixWorld.elements[13];
    return (height(`${side}UpperArm`) - height(`${side}Hand`)) / (box.max.y - box.min.y);
}, [side, time]);

/** Hands the page a motion file through its button. */
async function bring(name) {
    await openTab(page, 'Animate');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.panel button:text-is("Motion from a file")')]);
    await chooser.setFiles(path.join(work, name));
    await until(async () => (await lines()).some((line) => line.includes(name)), `${name} is not read`);
    await idle(page);
}

/** Runs the last lines of the log beside what they name: the same bytes come out. */
async function sameByAShell(count) {
    const last = (await lines()).slice(-count);
    for (const line of last) repeat(line, work);
    assert.ok((await bytes()).equals(fs.readFileSync(path.join(work, last.at(-1).match(/-o (\S+)$/)[1]))), last.at(-1));
}

// A motion whose legs, trunk and head hang from the root, a joint each, by names that say nothing: a command finds no body in
// it. The left arm goes down.
const places = {
    hips: [0, 95, 0], spine: [0, 10, 0], chest: [0, 25, 0], head: [0, 65, 0], 'left upper leg': [9, -3, 0], 'left lower leg': [9, -45, 1], 'left foot': [9, -86, 0], 'right upper leg': [-9, -3, 0],
    'right lower leg': [-9, -45, 1], 'right foot': [-9, -86, 0], 'left upper arm': [17, 48, 0], 'left lower arm': [27, 0, 0], 'left hand': [25, 0, 0], 'right upper arm': [-17, 48, 0], 'right lower arm': [-27, 0, 0], 'right hand': [-25, 0, 0],
};
const bones = Object.keys(places);
const begin = (bone) => `JOINT b${bones.indexOf(bone)} {\nOFFSET ${places[bone].join(' ')}\nCHANNELS 3 Zrotation Xrotation Yrotation\n`;
const end = 'End Site {\nOFFSET 0 5 0\n}\n}\n';
const joints = bones.slice(1).map((bone) => begin(bone) + (/upper arm|left lower arm|right lower arm/.test(bone) ? '' : /hand/.test(bone) ? `${end}}\n}\n` : end)).join('');
const frames = Array.from({ length: 20 }, (_, frame) => [...places.hips, 0, 0, 0, ...bones.slice(1).flatMap((bone) => [bone === 'left upper arm' ? -3 * frame : 0, 0, 0])].join(' '));
fs.writeFileSync(path.join(work, 'flat.bvh'), `HIERARCHY\nROOT b0 {\nOFFSET ${places.hips.join(' ')}\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n${joints}}\nMOTION\nFrames: 20\nFrame Time: 0.033333\n${frames.join('\n')}\n`);
repeat('limber sample humanoid --seed 3 --pose t --triangles 3000 -o body.obj', work);
repeat('limber rig body.obj -o body.glb', work);
repeat('limber animate body.glb wave -o waving.glb', work);
repeat('limber convert waving.glb waving.bvh', work);

await test('a motion shows which joint follows which', async () => {
    await state(() => window.limber.session.sample('humanoid', 3, ['--pose', 't', '--triangles', '3000']));
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    fs.writeFileSync(path.join(work, await state(() => window.limber.session.current.file)), await bytes());
    await bring('waving.bvh');
    await page.click('summary:text-is("Which joint follows which")');
    assert.equal(await said(), 'Each joint that a body needs has one to follow.');
    assert.equal(await list('left upper arm in the motion').locator('option:checked').textContent(), 'leftUpperArm · found');
    await until(async () => (await list('left upper arm in the motion').locator('option').count()) > 50, 'the joints of the motion are not listed');
    assert.ok(await apply.isDisabled());
    assert.deepEqual(await violations(page), []);
    // A wave is of the right arm.
    assert.ok((await hangs('left', 1)) > 0.2 && (await hangs('right', 1)) < 0.1, 'it is no wave');
});

await test('lists and clicks on joints change it; the log has the map, and a shell makes the same bytes', async () => {
    const before = await bytes();
    for (const part of ['upper arm', 'lower arm', 'hand']) await list(`left ${part} in the motion`).selectOption(`right${part.replace(/^l/, 'L').replace(/^u/, 'U').replace(/^h/, 'H').replace(' a', 'A')}`);
    await list('right lower leg here').selectOption({ label: '– none' });
    assert.equal(await row('right lower leg').locator('.much').textContent(), 'missing here');
    assert.equal(await said(), '1 missing');
    // The joint of the knee, where it is seen.
    await row('right lower leg').getByRole('button').click();
    assert.match(await said(), /Click the joint of right lower leg/);
    await drawn(page);
    await page.mouse.click(...(await screenPlace(page, 'rightLowerLeg')));
    await until(async () => (await list('right lower leg here').inputValue()) === 'rightLowerLeg', 'the click chose no joint');
    assert.equal(await row('right lower leg').locator('.much').textContent(), '');
    await apply.click();
    await idle(page);
    const [map, line] = (await lines()).slice(-2);
    assert.match(map, /^cat >map\.\d+\.json <<'END'\n\{\n "limber": "joint map"/);
    assert.match(line, /animate humanoid-3\.\d+\.glb waving\.bvh --name waving --map map\.\d+\.json --json -o /);
    await sameByAShell(2);
    assert.deepEqual(await clips(), ['waving']);
    assert.ok((await hangs('left', 1)) < 0.1, 'the left arm does not do as the right one');
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.ok((await bytes()).equals(before), 'undo gives another character');
    assert.equal(await list('left hand in the motion').inputValue(), '');
    await page.keyboard.press('Control+Shift+z');
    await idle(page);
    assert.equal(await list('left hand in the motion').inputValue(), 'rightHand');
});

await test('it is kept over a reload', async () => {
    await until(() => state(() => window.limber.keeper.state.value === 'kept'), 'it is not kept');
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await openTab(page, 'Animate');
    await page.click('summary:text-is("Which joint follows which")');
    assert.equal(await list('left hand in the motion').inputValue(), 'rightHand');
    for (const part of ['upper arm', 'lower arm', 'hand']) await list(`left ${part} in the motion`).selectOption('');
    await list('left hand in the motion').selectOption('rightHand');
    await apply.click();
    await idle(page);
    await sameByAShell(2);
});

await test('a motion in which no body is found comes by a map', async () => {
    await page.keyboard.press('Control+z');
    await idle(page);
    const details = page.locator('details:has(> summary:text-is("Which joint follows which"))');
    await details.evaluate((element) => (element.open = false));
    await bring('flat.bvh');
    assert.ok(await details.evaluate((element) => element.open), 'what is asked for is not shown');
    assert.match(await state(() => window.limber.session.notice.value.text), /not supported/);
    assert.match(await said(), /did not come/);
    await until(async () => (await list('hips in the motion').locator('option').count()) > bones.length, 'the joints of the motion are not listed');
    for (const [k, bone] of bones.entries()) await list(`${bone} in the motion`).selectOption(`b${k}`);
    await apply.click();
    await idle(page);
    assert.equal((await clips())[0], 'flat');
    await sameByAShell(2);
    assert.ok((await hangs('left', 0.6)) > 0.15 && Math.abs(await hangs('right', 0.6)) < 0.03, 'the left arm does not go down');
});

await test('of animals a chain follows a chain, by a map too', async () => {
    for (const [name, seed] of [['calf', 2], ['dog', 5]]) repeat(`limber sample quadruped --seed ${seed} --rigged --triangles 3000 -o ${name}.glb`, work);
    repeat('limber animate dog.glb trot -o trotting.glb', work);
    await openFile(page, path.join(work, 'calf.glb'));
    await bring('trotting.glb');
    await page.click('summary:text-is("Which chain follows which")');
    const sections = page.locator('details:has(> summary:text-is("Which chain follows which"))');
    assert.match(await sections.locator('[role=status]').textContent(), /Each chain has one/);
    assert.deepEqual(await violations(page), []);
    /** How far a joint turns in the clip, of all its numbers. */
    const turns = (joint) => state((joint) => {
        const { player, character } = window.limber.viewer, { node } = character.value.joints.find(({ name }) => name === joint);
        const seen = [0, 0.1, 0.2, 0.3].map((time) => player.seek(time) || [...node.quaternion.toArray()]);
        return Math.max(...seen[0].map((_, k) => Math.max(...seen.map((one) => one[k])) - Math.min(...seen.map((one) => one[k]))));
    }, joint);
    assert.ok((await turns('leftBackUpperLeg')) > 1e-2, 'the leg does not move by itself');
    await list('left leg 1 in the motion').selectOption({ label: '– none' });
    assert.equal(await row('left leg 1').locator('.much').textContent(), 'stays at rest');
    await list('right leg 1 in the motion').selectOption('leftBackToes');
    await sections.locator('button.primary').click();
    await until(async () => (await lines()).at(-1).includes('--map'), 'there is no map');
    await idle(page);
    const map = (await lines()).findLast((line) => line.includes('joint map'));
    assert.deepEqual(JSON.parse(map.split('\n').slice(1, -1).join('\n')).motion.chains, { leftLeg1: null, rightLeg1: ['leftBackUpperLeg', 'leftBackLowerLeg', 'leftBackFoot', 'leftBackToes'] });
    assert.ok((await turns('leftBackUpperLeg')) < 1e-5 && (await turns('rightBackUpperLeg')) > 1e-2, 'the legs do not follow the map');
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.ok((await turns('leftBackUpperLeg')) > 1e-2, 'undo leaves the leg at rest');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
