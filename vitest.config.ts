import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real servers and ptys; two at a time keeps a small machine honest.
    maxWorkers: 2,
    // Real programs on real terminals wait for a busy machine; on CI a test may have a second chance, and is told as flaky.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
