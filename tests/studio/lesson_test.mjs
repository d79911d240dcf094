// The lesson: what is dragged moves, numbers in the text follow, every chapter's question is answered by doing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { finish, openStudio, test, until, violations } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1280, height: 900, colorScheme: 'light', hash: '#lesson' });
await page.waitForSelector('.lesson .cards');
const titles = await page.locator('.lesson .cards b').allTextContents();

/** Opens a chapter by its title, from the top. */
async function open(title) {
    const number = titles.indexOf(title) + 1;
    assert.ok(number > 0, `there is no chapter "${title}"`);
    await page.evaluate((hash) => (location.hash = hash), `#lesson/${number}`);
    await page.waitForSelector(`.lesson h1:text-is("${title}")`);
    return (title2) => step(title2);
}

/** A step of the chapter that is open, by its heading. */
async function step(title) {
    const section = page.locator('.lesson .step', { has: page.locator(`h2:has-text("${title}")`) });
    await section.scrollIntoViewIfNeeded();
    await until(async () => (await section.locator('.spin').count()) === 0, `"${title}" is not ready in a minute`);
    return {
        section,
        /** Sets a slider or a number of the text, as a person who types or slides. */
        set: async (label, value) => {
            await section.getByRole('slider', { name: label, exact: true }).and(section.locator('input')).first().fill(`${value}`);
        },
        type: async (label, value) => section.getByRole('spinbutton', { name: label, exact: true }).fill(`${value}`),
        press: async (name) => section.getByRole('button', { name, exact: true }).click(),
        choose: async (name) => section.getByRole('radio', { name, exact: true }).check({ force: true }),
        said: async () => section.locator('.state').first().textContent(),
        words: async () => section.textContent(),
        /** Every number of the scene's text, with true minus signs. */
        numbers: async () => ((await section.locator('.state').first().textContent()).match(/[−-]?\d+(\.\d+)?/g) ?? []).map((x) => Number(x.replace('−', '-'))),
        drag: async (label, right, down, nth = 0) => {
            const box = await section.getByRole('slider', { name: label, exact: true }).nth(nth).boundingBox();
            await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
            await page.mouse.down();
            await page.mouse.move(box.x + box.width / 2 + right, box.y + box.height / 2 + down, { steps: 4 });
            await page.mouse.up();
        },
        nudge: async (label, ...keys) => {
            await section.getByRole('slider', { name: label, exact: true }).first().focus();
            for (const key of keys) await page.keyboard.press(key);
        },
        isAnswered: async () => (await section.locator('.task.done').count()) === 1,
    };
}

const close = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a}, expected ${b}`);

/** Wrong first, right then. */
async function answered(one, act) {
    assert.ok(!(await one.isAnswered()), 'the question is answered before anything is done');
    await act();
    await until(() => one.isAnswered(), `not answered: ${await one.section.locator('.verdict').textContent()}`);
}

/** The same picture, or another one. */
const picture = (one) => one.section.locator('canvas').first().evaluate((canvas) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(canvas.toDataURL())))));

await test('what animation is: two keys, the way between, slerp, a lift', async () => {
    const at = await open('What animation is');
    const two = await at('Two keys and a line');
    assert.match(await two.said(), /At 1\.20 s the clip gives 4\.10 m/);
    await two.type('Time', 2);
    assert.match(await two.words(), /2\.00 \+ \(2\.00 − 0\.50\) \/ \(2\.50 − 0\.50\) · \(8\.00 − 2\.00\) = 6\.50/);
    await two.drag('Second key: time and height', 0, 200);
    const [, , height] = await two.numbers();
    assert.ok(height < 6, `the second key is still at ${height} m`);
    await two.nudge('First key: time and height', 'ArrowUp', 'ArrowUp');
    close((await two.numbers())[0], 2.2, 1e-6, 'two arrow keys');
    const between = await at('The way between');
    const highest = async () => (await between.numbers()).at(-1);
    close(await highest(), 8, 1e-6, 'straight lines');
    await between.choose('Through all');
    assert.ok((await highest()) > 8.2, 'tangents along the neighbours do not shoot over');
    await between.choose('Cubic');
    close(await highest(), 8, 0.01, 'the cubic that does not overshoot');
    const turning = await at('Turning is not adding');
    await turning.set('First key', -170);
    await turning.set('Second key', 170);
    await turning.set('Part of the way', 0.5);
    const [, slerp] = await turning.numbers();
    close(Math.abs(slerp), 180, 0.1, 'the short way from −170° to 170°');
    const lift = await at('A lift without jolts');
    await answered(lift, async () => {
        await lift.choose('Cubic');
        for (let k = 0; k < 40 && !(await lift.isAnswered()); ++k) {
            const text = await lift.said();
            await lift.nudge('Second key: time and height', Number(text.match(/At 1.5 s the lift is ([\d.]+)/)[1]) > 6 ? 'ArrowDown' : 'ArrowUp');
        }
    });
});

await test('forward kinematics: the worked example to six digits, and what the module gives', async () => {
    const at = await open('Forward kinematics');
    const chain = await at('One joint after the other');
    assert.match(await chain.words(), /P = \(9\.158617, 3\.960242\)/);
    await chain.set('θ₁', 0);
    assert.doesNotMatch(await chain.words(), /9\.158617/);
    await chain.press('Back to −45°, 50°, 30°');
    assert.match(await chain.said(), /P at \(9\.158617, 3\.960242\)/);
    const frames = await at('Whose numbers?');
    await frames.drag('Origin of the frame', 50, 0);
    const [x, , , , , px] = await frames.numbers();
    close(px, x + 3 * Math.cos(Math.PI / 6) - Math.sin(Math.PI / 6), 0.02, 'P moves with its frame');
    const tree = await at('A walk down the tree');
    for (let k = 0; k < 6; ++k) await tree.press('Place the next joint');
    assert.match(await tree.said(), /7 of 7 joints are placed/);
    const space = await at('The same in space');
    const [before] = [await space.said()];
    await space.set('Shoulder', 60);
    assert.notEqual(await space.said(), before);
    const reach = await at('Reach by hand');
    await answered(reach, async () => {
        // Two angles by the law of cosines, the last bone straight on.
        const [a, b, d] = [5, 6, Math.hypot(6, 4)], elbow = Math.acos((d * d - a * a - b * b) / (2 * a * b));
        const first = Math.atan2(-4, 6) - Math.atan2(b * Math.sin(elbow), a + b * Math.cos(elbow));
        for (const [name, value] of [['θ₁', first], ['θ₂', elbow], ['θ₃', 0]]) await reach.set(name, Math.round((value * 180) / Math.PI));
    });
});

await test('inverse kinematics: the Jacobian, steps by hand, five solvers, out of reach, five steps', async () => {
    const at = await open('Inverse kinematics');
    const back = await at('The question, backwards');
    assert.match(await back.words(), /Answers: two: elbow up, elbow down/);
    await back.drag('Target', 160, -60);
    assert.match(await back.words(), /Answers: none: it is too far/);
    const columns = await at('What one angle does');
    await columns.set('Turn Δθ₁', 0);
    assert.match(await columns.words(), /They are 0\.0 cm apart/);
    const stepping = await at('Three ways to turn it round');
    for (const solver of ['Transpose', 'Damped', 'Pseudo-inverse']) {
        await stepping.choose(solver);
        await stepping.press('Start over');
        for (let k = 0; k < 8; ++k) await stepping.press('Step');
        const left = await stepping.numbers();
        assert.equal(left[0], 8);
        assert.ok(solver !== 'Damped' || left.at(-1) < 5, `${solver}: ${left.at(-1)} cm are left after 8 steps`);
    }
    const race = await at('Five solvers, one target');
    for (let k = 0; k < 12; ++k) await race.press('Step all');
    const left = Object.fromEntries([...(await race.said()).matchAll(/([\w-]+): ([\d.]+) cm/g)].map(([, name, cm]) => [name, Number(cm)]));
    for (const name of ['Damped', 'CCD', 'FABRIK']) assert.ok(left[name] < 1, `${name}: ${left[name]} cm are left after 12 steps`);
    const singular = await at('Stretched arms go wild');
    await singular.set('Bend of the elbow', 1);
    const [, , wild, calm] = await singular.numbers();
    assert.ok(wild > 10 * calm, `nearly straight: ${wild}° against ${calm}° damped`);
    const limits = await at('Limits');
    await limits.set('Elbow bends to', 30);
    assert.ok((await limits.numbers())[0] <= 30.5, await limits.said());
    const five = await at('Five steps to the target');
    for (let k = 0; k < 5; ++k) await five.press('Step');
    assert.ok(!(await five.isAnswered()), 'a nearly straight arm does it too');
    await answered(five, async () => {
        await five.set('Start θ₁', 20);
        await five.set('Start θ₂', 60);
        await five.set('Start θ₃', 40);
        for (let k = 0; k < 3; ++k) await five.press('Step');
    });
});

await test('skinning: the collapse, the candy wrapper and its determinant, what keeps the volume', async () => {
    const at = await open('Skinning, and what goes wrong');
    const linear = await at('A mean of two places');
    await linear.set('Bend', 90);
    await linear.set('Where it is', 0);
    assert.match(await linear.words(), /0\.50 · \(0\.00, 0\.20\) \+ 0\.50 · \(−0\.20, 0\.00\) = \(−0\.10, 0\.10\)/);
    const collapse = await at('The elbow collapses');
    const before = await picture(collapse), [, , lost] = await collapse.numbers();
    await collapse.set('Bend', 0);
    close((await collapse.numbers())[2], 100, 0.1, 'unbent');
    assert.ok(lost < 96, `bent it keeps ${lost} %`);
    assert.notEqual(await picture(collapse), before, 'the picture does not follow');
    const wrapper = await at('The candy wrapper');
    assert.match(await wrapper.words(), /scales areas, is 0\.000/);
    close((await wrapper.numbers())[1], 0, 0.5, 'the waist at 180°');
    await wrapper.set('Twist', 90);
    close((await wrapper.numbers())[1], 100 * Math.SQRT1_2, 1, 'the waist at 90° is cos 45°');
    const dual = await at('Dual quaternions');
    const [waist, , kept] = await dual.numbers();
    close(waist, 0, 0.5, 'linear');
    close(kept, 100, 1, 'dual quaternions');
    await at('On a body');
    const task = await at('Bend and twist');
    await answered(task, async () => {
        await task.set('Bend', 110);
        await task.set('Twist', 100);
        assert.ok(!(await task.isAnswered()), 'linear skinning keeps the volume');
        await task.choose('Centres of rotation');
    });
});

await test('a link leads to a step, a reload comes back to it, and the studio is as it was', async () => {
    await page.evaluate(() => (location.hash = '#lesson/1/4'));
    await page.waitForFunction(() => Math.abs(document.querySelector('#step-1-4').getBoundingClientRect().top - 72) < 60);
    await page.evaluate(() => document.querySelector('.lesson').scrollBy(0, 700));
    await until(async () => /#lesson\/1\/[56]$/.test(page.url()), `the address stays ${page.url()}`);
    const url = page.url();
    await page.reload();
    await page.waitForSelector('.lesson .step');
    assert.equal(page.url(), url);
    await page.waitForFunction((id) => document.querySelector(id)?.getBoundingClientRect().top < 400, `#step-${url.split('#lesson/')[1].replace('/', '-')}`);
    assert.equal(await page.locator('.toc-list .tick').count() > 0, true, 'answered questions are forgotten');
    await page.evaluate(() => (location.hash = ''));
    await page.waitForSelector('.lesson', { state: 'hidden' });
    await page.waitForSelector('.head', { state: 'visible' });
    assert.equal(await page.title(), 'Limber studio');
});

await test('every chapter can be used without a mouse or eyes, dark and light, and fits a phone', async () => {
    const phone = await studio.page({ width: 390, height: 844, colorScheme: 'dark', hash: '#lesson' });
    await phone.waitForSelector('.lesson .cards');
    for (const [on, scheme] of [[phone, 'dark'], [page, 'light']]) {
        for (let number = 0; number <= titles.length; ++number) {
            await on.evaluate((hash) => (location.hash = hash), number ? `#lesson/${number}` : '#lesson');
            await on.waitForSelector(number ? `.lesson .kicker:has-text("Chapter ${number} of")` : '.lesson .cards');
            const wide = await on.evaluate(() => document.querySelector('.lesson').scrollWidth - document.querySelector('.lesson').clientWidth);
            assert.equal(wide, 0, `chapter ${number} is ${wide} pixels wider than a screen of ${scheme === 'dark' ? 390 : 1280}`);
            const wrong = await violations(on);
            assert.deepEqual(wrong, [], `chapter ${number}, ${scheme}`);
        }
    }
    await phone.context().close();
});

await test('nothing is complained of, and nothing is asked of other machines', () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
