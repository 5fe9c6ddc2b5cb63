import { toReadyState, type SocketStatus } from '@sdk/frontend'
import { useSyncExternalStore, type ReactNode } from 'react'
import { Pill, type Tone } from '../components/pill.tsx'
import { explainClose } from './close-codes.ts'
import type { ConsoleState, ConsoleMode } from './console-client.ts'
import type { ControlledWire } from './controlled-wire.ts'

const STATUS_TONES: Readonly<Record<SocketStatus, Tone>> = {
  idle: 'quiet',
  connecting: 'busy',
  open: 'good',
  reconnecting: 'busy',
  offline: 'warn',
  closed: 'quiet',
  failed: 'bad',
}

interface ConsoleStatusProps {
  readonly state: ConsoleState
  readonly wire: ControlledWire
  readonly mode: ConsoleMode
  readonly hasToken: boolean
}

/** A client's status on one line. */
export function ConsoleStatus({ state, wire, mode, hasToken }: ConsoleStatusProps): ReactNode {
  const { attempts } = useSyncExternalStore(wire.state.subscribe, wire.state.get)
  const held = useSyncExternalStore(subscribeInterval, wire.held)
  const { status, pending, gaps, lastClose, error } = state
  return (
    <div className="console-facts">
      <Pill tone={STATUS_TONES[status]}>{status}</Pill>
      <StatusItem name="readyState" value={toReadyState(status)} />
      {mode === 'sdk.v1' && <StatusItem name="pending" value={pending} />}
      <StatusItem name="in transit" value={held} />
      <StatusItem name="attempts" value={attempts} />
      {mode === 'sdk.v1' && <StatusItem name="gaps" value={gaps} />}
      {lastClose !== null && <LastClose code={lastClose.code} hasSdk={mode === 'sdk.v1'} />}
      {error !== null && (
        <span className="fault">
          {error.code}: {error.message}
        </span>
      )}
      {!hasToken && <span>no token; the browser sends its cookies with every WebSocket handshake</span>}
    </div>
  )
}

function StatusItem({ name, value }: { name: string; value: number }): ReactNode {
  return (
    <span className="fact">
      {name} <b>{value}</b>
    </span>
  )
}

function LastClose({ code, hasSdk }: { code: number; hasSdk: boolean }): ReactNode {
  const { meaning, next } = explainClose(code)
  return (
    <span className="fact">
      last close <b>{code}</b> {meaning}
      {hasSdk && `; ${next}`}
    </span>
  )
}

/** The interval at which the number of held frames is polled, in ms. No event is emitted when it changes. */
const POLL_INTERVAL_MS = 250

function subscribeInterval(listener: () => void): () => void {
  const timer = setInterval(listener, POLL_INTERVAL_MS)
  return () => clearInterval(timer)
}
