/** Shows the connection state: the messages that wait to be sent, and a button that simulates a network failure. */
import type { SocketStatus } from '@sdk/frontend'
import { cutNetwork, restoreNetwork, useNetwork } from '../network.ts'

interface ConnectionProps {
  status: SocketStatus
  /** The number of messages that the server has not handled yet. */
  waiting: number
}

export function Connection({ status, waiting }: ConnectionProps) {
  const { isCut, secondsLeft } = useNetwork()
  return (
    <section className="connection" aria-label="Connection">
      <p role="status" data-state={status}>
        <span className="dot" /> {textOf(status)}
        {waiting > 0 && <strong> · {waiting} waiting</strong>}
      </p>
      <button type="button" className="second small" onClick={() => (isCut ? restoreNetwork() : cutNetwork())}>
        {isCut ? 'Restore' : 'Interrupt the network'}
        {isCut && <span aria-hidden="true"> ({secondsLeft} s)</span>}
      </button>
    </section>
  )
}

function textOf(status: SocketStatus): string {
  if (status === 'open') return 'Connected'
  if (status === 'offline') return 'No network'
  if (status === 'failed' || status === 'closed') return 'Disconnected'
  return status === 'reconnecting' ? 'Reconnecting …' : 'Connecting …'
}
