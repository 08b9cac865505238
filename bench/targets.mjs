/** What is wanted of the rows of the table: `measure number` → checks on the medians by multiplexer. */

const most = (bound, of = 'mplex') => ({
  words: `≤ ${bound}${of === 'node' ? ' without launcher' : ''}`,
  isMet: (medians) => medians[of] <= bound,
  needs: [of],
});
const least = (factor) => ({
  words: `≥ ${factor} × tmux`,
  isMet: ({ mplex, tmux }) => mplex >= factor * tmux,
  needs: ['mplex', 'tmux'],
});
const within = (factor) => ({
  words: `≤ ${factor} × tmux`,
  isMet: ({ mplex, tmux }) => mplex <= factor * tmux,
  needs: ['mplex', 'tmux'],
});

export const TARGETS = {
  'throughput ascii': [least(1)],
  'throughput sgr': [least(1)],
  'throughput unicode': [least(1)],
  'throughput csi': [least(1)],
  'throughput mean': [least(2)],
  'throughput growth': [most(100)],
  'echo p50': [most(1)],
  'echo p99': [most(5)],
  'flood p50': [most(3)],
  'flood p95': [most(10)],
  'interrupt p95': [most(20)],
  'memory fresh': [most(75)],
  'memory 20x2000': [most(120)],
  'memory 20x10000': [within(1)],
  'memory client': [most(45)],
  'start call': [within(2.5)],
  'start cold_in_nodes': [most(2.5), most(4, 'node')],
  'start call_in_nodes': [most(1.3, 'node')],
  'idle ticks': [most(5)],
  'idle bytes': [most(0)],
  'hidden cpu': [within(1)],
  'clients ratio': [most(1.5)],
  'attach ms': [most(100)],
};

/** The row's target in words and whether it is met, as two cells; '' where nothing is wanted or was not measured. */
export function judge(row, medians) {
  const checks = (TARGETS[row] ?? []).filter(({ needs }) => needs.every((mux) => medians[mux] !== undefined));
  return [
    checks.map(({ words }) => words).join(', '),
    checks.map(({ isMet }) => (isMet(medians) ? 'met' : 'not met')).join(', '),
  ];
}
