import type { WorkerCommand } from './worker-messages.ts'

/** The part of a worker that receives the counts. */
interface Receiver {
  send(command: WorkerCommand): void
}

/** The open sockets of all workers, by address and user. */
export interface ConnectionCounts<Worker extends Receiver> {
  /** Counts a connection that a worker opened or closed. */
  add(worker: Worker, key: string, difference: number): void
  /** Sends all counts to a new worker. */
  sendAll(worker: Worker): void
  /** Removes the connections of a worker that has exited. */
  retire(worker: Worker): void
}

/** Creates the counts in the primary process, which sends each change to the other workers that `list` returns. */
export function createConnectionCounts<Worker extends Receiver>(
  list: () => readonly Worker[],
): ConnectionCounts<Worker> {
  const counts = new Map<Worker, Map<string, number>>()

  function countOf(worker: Worker, key: string): number {
    return counts.get(worker)?.get(key) ?? 0
  }

  function send(worker: Worker, key: string): void {
    let count = 0
    for (const other of counts.keys()) if (other !== worker) count += countOf(other, key)
    worker.send({ sdk: 'connections', key, count })
  }

  function sendToOthers(worker: Worker, key: string): void {
    for (const other of list()) if (other !== worker) send(other, key)
  }

  return {
    add(worker, key, difference) {
      const own = counts.get(worker) ?? new Map<string, number>()
      counts.set(worker, own)
      const count = countOf(worker, key) + difference
      if (count === 0) own.delete(key)
      else own.set(key, count)
      sendToOthers(worker, key)
    },
    sendAll(worker) {
      for (const key of new Set([...counts.values()].flatMap((own) => [...own.keys()]))) send(worker, key)
    },
    retire(worker) {
      const keys = [...(counts.get(worker)?.keys() ?? [])]
      counts.delete(worker)
      for (const key of keys) sendToOthers(worker, key)
    },
  }
}
