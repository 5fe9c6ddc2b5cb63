import type { Engine, Log } from '@sdk/server'
import { afterEach } from 'vitest'
import type { Driver } from './drivers.ts'
import type { DriverOptions } from './open-engine.ts'

/** A log without output. */
export const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const opened: Engine[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((engine) => engine.close()))
})

/** Opens an engine that is closed after the test. */
export function openBy({ open }: Driver, url: string, options: DriverOptions): Engine {
  return track(open(url, { log: silent, ...options }))
}

/** Closes an engine after the test. */
export function track(engine: Engine): Engine {
  opened.push(engine)
  return engine
}
