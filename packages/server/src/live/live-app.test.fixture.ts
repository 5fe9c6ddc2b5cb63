import { onTestFinished } from 'vitest'
import type { App, Log } from '../index.ts'
import { testApp, type TestApp } from '../testing.ts'

/** A log that discards its lines. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Opens an app until the end of the test. */
export async function open(app: App): Promise<TestApp> {
  const test = await testApp(app)
  onTestFinished(() => test.close())
  return test
}
