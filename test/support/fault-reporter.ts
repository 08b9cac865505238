/** `npm run test:faults`: one line a fault. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter's default export
export default class FaultReporter implements Reporter {
  onTestCaseResult(testCase: TestCase): void {
    const { state, errors } = testCase.result();
    const { fault } = testCase.meta();
    const word = state === 'passed' ? 'ok  ' : state === 'skipped' ? 'skip' : 'FAIL';
    if (!fault) process.stdout.write(`${word} ${testCase.fullName}\n`);
    else
      process.stdout.write(
        `${word} ${fault.row} | injected: ${fault.injected} | expected: ${fault.expected} | seen: ${fault.seen}\n`,
      );
    if (state === 'failed') for (const error of errors ?? []) process.stdout.write(`     ${error.message}\n`);
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly { readonly message?: string }[]): void {
    for (const error of errors) process.stdout.write(`FAIL ${error.message ?? 'unhandled error'}\n`);
  }
}
