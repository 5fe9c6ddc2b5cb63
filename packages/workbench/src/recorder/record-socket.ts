import type { Servable, SocketAdmission } from '@sdk/server'
import {
  observeLog,
  type AcceptedClient,
  type ClientConnection,
  type SocketHub,
  type Transport,
} from '@sdk/server/node'
import type { RunRecorder } from '../store/run-store.ts'
import { SocketRecorder } from './socket-recorder.ts'

/** Admits a client and records its connection, or records that it was rejected. */
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

/** Starts the run only when the client enters, since a closing server rejects clients that it has already admitted. */
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

/** Wraps a hub so that frames on recorded connections are recorded. */
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
  const transport = recordTransport(arrival.transport, recorder)
  const connection = hub.connect({ ...arrival, transport, log: observeLog(arrival.log, recorder) })
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

function recordTransport(wire: Transport, recorder: SocketRecorder): Transport {
  return {
    get buffered() {
      return wire.buffered
    },
    get flushed() {
      return wire.flushed
    },
    get received() {
      return wire.received
    },
    send(text) {
      recorder.frame(text, 'server')
      wire.send(text)
    },
    sendShared(shared) {
      recorder.frame(shared.text, 'server')
      wire.sendShared(shared)
    },
    pause: () => wire.pause(),
    resume: () => wire.resume(),
    ping: () => wire.ping(),
    close: (code, reason) => wire.close(code, reason),
    terminate: () => wire.terminate(),
  }
}
