import { fromPolicyHeader, fromRateLimitHeader, fromRetryAfter } from '@sdk/protocol'
import { useState, type ReactNode } from 'react'
import { toDuration } from '../../components/format.ts'
import type { RunFailure } from './failure.ts'
import { responseHeader } from '../stream/recording.ts'
import { useTick } from '../../components/use-tick.ts'
import { useAPI } from '@sdk/react'
import { Link } from 'wouter'
import { useChosenIdentity } from '../../data/identity.ts'
import { identityName } from '../../frame/identity-name.ts'
import { actAs } from '../../frame/act-as.ts'
import { links } from '../../links.ts'

/** A hint how to fix a failure, where one is known. */
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

/** How many users are listed; the page of users has all. */
const MAX_RUN_AS_USERS = 6

/** After a 401: chooses the user whom calls are made as. */
function RunAs(): ReactNode {
  const now = useChosenIdentity()
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  if (data === undefined) return null
  if (!data.hasAuth) {
    return (
      <p className="notice">This route needs a signed-in user, but the app has no auth with users to choose from.</p>
    )
  }
  const users = data.users.slice(0, MAX_RUN_AS_USERS)
  return (
    <div className="notice run-as">
      <p>It was called as {identityName(now)}. Run as</p>
      {users.map(({ id, name, email }) => (
        <button
          key={id}
          type="button"
          className="button small"
          aria-pressed={now.kind === 'user' && now.user.id === id}
          onClick={() => void actAs(id)}
        >
          {name === '' ? email : name}
        </button>
      ))}
      <Link className="link" href={links.users}>
        {users.length === 0 ? 'a new test user' : 'another user'}
      </Link>
    </div>
  )
}
