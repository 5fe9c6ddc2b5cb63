import { createApp, createLog, createRouter, type App, type LogOptions } from '@sdk/server'
import { createSocketObject, createWorker, type SocketObjectClass, type Worker } from '@sdk/server/workers'
import { appSettings } from '../config.ts'
import type { BuiltProject } from './production.ts'

type Level = NonNullable<LogOptions['level']>

/** The bindings that a built Worker reads. */
interface WorkerEnvironment {
  readonly LOG_LEVEL?: string
}

/**
 * Creates the Worker and the Durable Object class of a built project. This module is bundled into `dist/server`.
 * @public called by the entry that `sdk build --target workers` writes
 */
export function createBuiltWorker({ agents, router, settings, formatError }: Omit<BuiltProject, 'base' | 'web'>): {
  worker: Worker<WorkerEnvironment>
  Sockets: SocketObjectClass<WorkerEnvironment>
} {
  const create = (env: WorkerEnvironment): App =>
    createApp({
      agents,
      router: router ?? createRouter(),
      log: createLog({ level: (env.LOG_LEVEL?.trim().toLowerCase() as Level) || settings.logLevel || 'info' }),
      ...appSettings(settings),
      ...(formatError !== null && { formatError }),
    })
  return { worker: createWorker(create), Sockets: createSocketObject(create) }
}
