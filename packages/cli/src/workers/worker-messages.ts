/** A message from the primary process to a worker. */
export type WorkerCommand =
  | { readonly sdk: 'stop'; readonly signal: StopSignal }
  /** The worker runs the `onStart` hooks of all workers. */
  | { readonly sdk: 'lead' }
  /** The number of connections of an address or a user at the other workers. */
  | { readonly sdk: 'connections'; readonly key: string; readonly count: number }
  /** The worker sends its metrics. */
  | { readonly sdk: 'read-metrics' }
  /** The metrics of all workers, for a request that this worker received. */
  | { readonly sdk: 'merged-metrics'; readonly id: number; readonly text: string }

/** A message from a worker to the primary process. */
export type WorkerReport =
  | { readonly sdk: 'ready' }
  /** The worker opened or closed a connection of an address or a user. */
  | { readonly sdk: 'connection'; readonly key: string; readonly difference: 1 | -1 }
  | { readonly sdk: 'metrics'; readonly text: string }
  /** The worker received a request for the metrics of all workers. `text` contains its own. */
  | { readonly sdk: 'merge-metrics'; readonly id: number; readonly text: string }

/** A signal that stops the server. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/** The environment variable that contains the number of a worker. */
export const WORKER_NUMBER = 'SDK_WORKER'

/** The environment variable that is set for the worker that runs the `onStart` hooks when it starts. */
export const WORKER_LEADS = 'SDK_WORKER_LEADS'

/** Returns whether a message between processes has this format. The code of the app may send others. */
export function isOwnMessage(message: unknown): message is { sdk: string } {
  return typeof message === 'object' && message !== null && 'sdk' in message
}
