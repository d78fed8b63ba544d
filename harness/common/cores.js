/** What the coordinator knows of its own machine without asking: a plan, which starts nothing, is for as many cores as are here. */
import os from 'node:os';

export const coresHere = () => os.availableParallelism();
