/** The condition of a run in words, as it stands in the caption of every figure and over every table. */

/** @typedef {import('./spec.js').Spec & {environment: any, engines: Record<string, any>}} RecordedSpec */

/** @param {RecordedSpec} spec @returns {string} how this run is compressed against the source; '' when it is not */
function describeScale({ phases, source_phases: source }) {
  const parts = [
    ['connections', phases.connections, source.connections, ''],
    ['connections opened a second', phases.connect_rate_hz, source.connect_rate_hz, ''],
    ['window', phases.hold_s, source.hold_s, ' s'],
  ];
  const differing = parts.filter(([, now, then]) => now !== then).map(([what, now, then, unit]) => `${what} ${now}${unit} (paper: ${then}${unit})`);
  return differing.length ? `COMPRESSED: ${differing.join(', ')}` : '';
}

/** @param {RecordedSpec} spec @returns {string} open or closed */
function describeLoad({ workloads, axes, load }) {
  const kinds = new Set(axes.workload.map((name) => (workloads[name].arrivals.kind === 'closed' ? 'closed' : 'open')));
  return `${[...kinds].join(' and ')} load from ${load.client_processes} client process${load.client_processes > 1 ? 'es' : ''}`;
}

/**
 * @param {RecordedSpec} spec
 * @returns {string[]} lines of some 110 characters
 */
export function describeCondition(spec) {
  const { environment: { cores, cpu, kernel, hypervisor }, phases, profile, seed } = spec;
  const where = `${cores} real core${cores > 1 ? 's' : ''}${hypervisor === 'yes' ? ' of a virtual machine' : ''}, shared by servers, clients and capture, no CPU quota`;
  return [
    `${describeLoad(spec)}; ${where}; ${cpu}, ${kernel}`,
    `profile ${profile}: ${phases.connections} connections over ${phases.ramp_s} s, window ${phases.hold_s} s, ${phases.repeats} trial${phases.repeats > 1 ? 's' : ''} a point in random blocks, seed ${seed}`,
    describeScale(spec),
  ].filter(Boolean);
}

/** @param {RecordedSpec} spec @returns {string[]} a line an engine: versions of server, runtime and client */
export function describeVersions({ engines }) {
  return Object.entries(engines).map(([name, { version, runtime, library_version, processes }]) => {
    const roles = Object.entries(processes).map(([role, count]) => `${count} ${role}`).join(' + ');
    return `${name} ${version} (client ${library_version}) on Node ${runtime.slice(1)}, ${roles}`;
  });
}
