import { fromPolicyHeader, fromRateLimitHeader, fromRetryAfter } from '@sdk/protocol'
import { useState, type ReactNode } from 'react'
import { toDuration } from '../../components/format.ts'
import type { RunFailure } from './failure.ts'
import { responseHeader } from '../stream/recording.ts'
import { RunAs } from './run-as.tsx'
import { useTick } from '../../components/use-tick.ts'

/** What to do about a failure, where that is known. */
export function FailureHint({ failure }: { failure: RunFailure }): ReactNode {
  const { status, code, envelope } = failure
  if (status === 401) return <RunAs />
  if (status === 429) return <Countdown key={failure.run?.id ?? failure.recording.total} failure={failure} />
  if (code === 'NETWORK_ERROR') {
    return (
      <p className="notice">Is the dev server restarting, or has it ended? Press Run when the header says Connected.</p>
    )
  }
  // Only details that name a part of the request; others repeat the message.
  const details = (envelope?.error.details ?? []).filter(
    ({ pointer, name }) => pointer !== undefined || name !== undefined,
  )
  if (details.length === 0) return null
  return (
    <ul className="details">
      {details.map(({ pointer, name, source, message }) => (
        <li key={`${source} ${pointer ?? name} ${message}`}>
          <code>{pointer === '' ? (source ?? 'body') : (pointer ?? name)}</code> {message}
        </li>
      ))}
    </ul>
  )
}

/** When it makes sense to come back, and what the quotas are. */
function Countdown({ failure: { recording } }: { failure: RunFailure }): ReactNode {
  const [began] = useState(() => performance.now())
  const wait = fromRetryAfter(responseHeader(recording, 'retry-after')) ?? 0
  const now = useTick(wait > 0)
  const left = Math.max(0, wait - (now - began) / 1000)
  const policies = fromPolicyHeader(responseHeader(recording, 'ratelimit-policy'))
  const states = fromRateLimitHeader(responseHeader(recording, 'ratelimit'))
  return (
    <div className="notice" role="status">
      <p>
        {left > 0 ? `Too many calls: there is room again in ${Math.ceil(left)} s.` : 'There is room again: press Run.'}
      </p>
      {policies.map(({ name, quota, window }) => {
        const state = states.find((one) => one.name === name)
        return (
          <p key={name} className="num">
            {name}: {quota} a {toDuration(window * 1000)}
            {state !== undefined && `, ${state.remaining} left`}
          </p>
        )
      })}
    </div>
  )
}
