import type { Servable, SocketAdmission } from '@sdk/server'
import {
  observeLog,
  type AcceptedClient,
  type ClientConnection,
  type SharedText,
  type SocketHub,
  type Transport,
} from '@sdk/server/node'
import type { RunRecorder } from '../store/run-store.ts'
import { SocketRecorder } from './socket-recorder.ts'

/** Admits a client, and records its connection, or that it was refused. */
export async function recordAdmission(
  admitting: ReturnType<Servable['admit']>,
  { recorder, begin }: { recorder: SocketRecorder; begin: (recorder: RunRecorder) => void },
): Promise<SocketAdmission> {
  try {
    const admission = await admitting
    recorder.identified(admission.auth)
    return { ...admission, observer: recorder, enter: () => enterRecorded(admission, recorder, begin) }
  } catch (error) {
    begin(recorder)
    recorder.refused(error)
    throw error
  }
}

/** The run begins here and not when it was admitted: a server that is closing refuses admitted clients. */
function enterRecorded(
  admission: SocketAdmission,
  recorder: SocketRecorder,
  begin: (recorder: RunRecorder) => void,
): () => void {
  begin(recorder)
  try {
    const leave = admission.enter()
    return () => {
      leave()
      recorder.onEnd()
    }
  } catch (error) {
    recorder.refused(error)
    throw error
  }
}

/** The same hub, which records the frames of recorded connections. */
export function recordSockets(hub: SocketHub): SocketHub {
  return {
    ...hub,
    connect(arrival) {
      const recorder = arrival.observer
      return recorder instanceof SocketRecorder ? recordConnection(hub, arrival, recorder) : hub.connect(arrival)
    },
  }
}

function recordConnection(hub: SocketHub, arrival: AcceptedClient, recorder: SocketRecorder): ClientConnection {
  const wire = new RecordingWire(arrival.transport, recorder)
  const connection = hub.connect({ ...arrival, transport: wire, log: observeLog(arrival.log, recorder) })
  return {
    receive(text) {
      recorder.frame(text, 'client')
      connection.receive(text)
    },
    markAlive: () => connection.markAlive(),
    onDrain: () => connection.onDrain(),
    tick: (now) => connection.tick(now),
    requestReconnect: (afterMs) => connection.requestReconnect(afterMs),
    settled: () => connection.settled(),
    onClose: () => connection.onClose(),
  }
}

class RecordingWire implements Transport {
  readonly #wire: Transport
  readonly #recorder: SocketRecorder

  constructor(wire: Transport, recorder: SocketRecorder) {
    this.#wire = wire
    this.#recorder = recorder
  }

  get buffered(): number {
    return this.#wire.buffered
  }

  get flushed(): number {
    return this.#wire.flushed
  }

  get received(): number {
    return this.#wire.received
  }

  send(text: string): void {
    this.#recorder.frame(text, 'server')
    this.#wire.send(text)
  }

  sendShared(shared: SharedText): void {
    this.#recorder.frame(shared.text, 'server')
    this.#wire.sendShared(shared)
  }

  pause(): void {
    this.#wire.pause()
  }

  resume(): void {
    this.#wire.resume()
  }

  ping(): void {
    this.#wire.ping()
  }

  close(code: number, reason: string): void {
    this.#wire.close(code, reason)
  }

  terminate(): void {
    this.#wire.terminate()
  }
}
