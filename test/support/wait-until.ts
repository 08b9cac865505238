/** Waits for a named condition; on time-out the name and what `describe` says are the message. */
export async function waitUntil(
  name: string,
  isTrue: () => boolean | Promise<boolean>,
  options: { readonly timeoutMs?: number; readonly describe?: () => string } = {},
): Promise<void> {
  const { timeoutMs = 8000, describe = () => '' } = options;
  const end = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`timed out waiting for: ${name}\n${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
