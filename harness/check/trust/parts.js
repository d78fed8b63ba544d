/** The parts of `make check-trust`, in the order of its page: what each plants, measures, and how its outcome is judged. */
import { judgeHeld, judgeLosses, judgeRanked, judgeRecomputed, judgeSame, judgeSlowdowns, judgeStall, judgeStarved } from './outcomes.js';
import { measureLosses, measureRecomputed, measureSame, measureSlowdowns, measureStall, measureStarved } from './measure.js';
import { measureHeld } from './held-out.js';
import { measureRanked } from './ranked.js';

/**
 * @typedef {{title: string, expected: string, found: string, other?: string, isLog?: boolean}} Axis of a part's figure: the meaning of
 *   open squares, dots, and open triangles
 */
/**
 * @typedef {object} Part
 * @property {string} name name of its files
 * @property {string} title
 * @property {string} planted in a sentence or two
 * @property {Axis} figure
 * @property {(context: import('./measure.js').Context) => Promise<any>} measure
 * @property {(measured: any) => import('./outcomes.js').Outcome} judge takes measurements, or their stored JSON
 */

/** @type {Part[]} */
export const PARTS = [
  {
    name: 'same', title: 'An engine against itself', measure: measureSame, judge: judgeSame,
    planted: 'Nothing. Each engine runs under two names, in the same blocks with the same draws of load. Engines are judged one by one, and all at once, as '
      + '`make duet` does. The suite may raise no more alarms than chance brings.',
    figure: { title: 'CPU a message, twin / engine', expected: 'planted: nothing', found: 'found, with its 95 % interval' },
  },
  {
    name: 'slowdowns', title: 'An engine that was made slower', measure: measureSlowdowns, judge: judgeSlowdowns,
    planted: 'Copies of real engines burn CPU with each message that they read: 5 % of what a message costs, of one 10 and 20 % too. '
      + 'The suite must say that copies cost more, by intervals that meet what was planted, to 10 % beyond.',
    figure: { title: 'CPU a message, copy / engine', expected: 'planted', found: 'found, with its 95 % interval' },
  },
  {
    name: 'losses', title: 'A server that loses messages', measure: measureLosses, judge: judgeLosses,
    planted: 'Below a real engine each hundredth message is dropped, and counted. The suite must miss as many, to the message, and must not blame its generator.',
    figure: { title: 'messages that were not answered, %', expected: 'by the count of what was dropped', found: 'by the tables of the suite' },
  },
  {
    name: 'stall', title: 'A server that stops for 200 ms each second', measure: measureStall, judge: judgeStall,
    planted: 'A real engine stops for the first 200 ms of each second. Messages fall due evenly, so that a fifth of them wait, from 200 ms to none: '
      + 'the percentiles follow by computation. A load that waits for each answer before it sends hides the stall (coordinated omission): its percentiles stand beside.',
    figure: { title: 'latency, ms', expected: 'computed', found: 'found by the open load, from when each message was due', other: 'a load that waits for each answer', isLog: true },
  },
  {
    name: 'starved', title: 'A generator that is starved', measure: measureStarved, judge: judgeStarved,
    planted: 'The generator is held to 0.05 of a core by a control group, less than its load takes. Every trial must be flagged, and none where it has its core.',
    figure: { title: 'value of the rule, % of its bound', expected: 'bound', found: 'starved', other: 'with a core of its own', isLog: true },
  },
  {
    name: 'recomputed', title: 'The numbers, computed anew from the raw captures', measure: measureRecomputed, judge: judgeRecomputed,
    planted: 'Nothing. A program of its own in Python reads the kernel\'s accounts and decodes the histograms of every trial above, and scipy computes means and '
      + 'intervals. They must be what the suite printed.',
    figure: { title: 'greatest difference, as a share of the number', expected: 'tolerance', found: 'found', isLog: true },
  },
  {
    name: 'ranked', title: 'An engine and its slower copy, ranked', measure: measureRanked, judge: judgeRanked,
    planted: 'A copy of a real engine burns CPU with each message that it reads: 10 % of what a message costs at half of the engine\'s saturation. Both go through the '
      + 'sweep of the experiment that compares engines. The table of `make rank` must put the copy below its original.',
    figure: { title: 'CPU of a message, us', expected: 'the original\'s, and with what was planted', found: 'found, with its 95 % interval' },
  },
  {
    name: 'surface', title: 'Answers about loads that were not measured', measure: measureHeld, judge: judgeHeld,
    planted: 'Nothing. The surface of what a message costs is fitted to some rates, numbers of connections and sizes. Then, on the same day, it is asked for others '
      + 'between them, and those are measured, at low rates for several seconds. Nine answers of ten must be within 15 %. The last column tells how near the '
      + 'trials of one load are to each other.',
    figure: { title: 'CPU of a message, answered / measured', expected: 'as measured', found: 'middle of the numbers of connections and sizes, and their range' },
  },
];
