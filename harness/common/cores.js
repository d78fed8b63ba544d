/** The cores of the coordinator's machine. A plan asks no host, so it is made for this number. */
import os from 'node:os';

export const coresHere = () => os.availableParallelism();
