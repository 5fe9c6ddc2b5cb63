import { fromPolicyHeader, fromRateLimitHeader, fromRetryAfter } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { CopyButton } from '../../components/copy-button.tsx'
import { toDuration } from '../../components/format.ts'
import { useTick } from '../../components/use-tick.ts'
import { useChosenIdentity } from '../../data/identity.ts'
import { actAs } from '../../frame/act-as.ts'
import { identityName } from '../../frame/identity-name.ts'
import { links } from '../../links.ts'
import { responseHeader } from '../stream/recording.ts'
import { toMarkdown } from './error-markdown.ts'
import type { RunFailure } from './failure.ts'
import { ErrorMessage } from './error-message.tsx'
import { ErrorStack } from './error-stack.tsx'

/** The error of a failed run: its message, its code, the response that the caller received, and how to fix it. */
export function ErrorView({ failure }: { failure: RunFailure }): ReactNode {
  const { message, envelope, thrown, run } = failure
  return (
    <article className="error-view">
      <header>
        <p className="error-kind">{failureKind(failure)}</p>
        <ErrorMessage message={message} />
        <div className="toolbar">
          <CopyButton label="Copy for an AI assistant" text={() => toMarkdown(failure)} />
          {run !== undefined && <SameError runId={run.id} />}
        </div>
      </header>
      <FailureHint failure={failure} />
      {thrown !== null && <ErrorStack error={thrown} />}
      {envelope !== null && (
        <section aria-label="Response to the caller">
          <h3>Response to the caller</h3>
          <pre tabIndex={0}>{JSON.stringify(envelope, null, 2)}</pre>
        </section>
      )}
    </article>
  )
}

function failureKind({ thrown, code, status }: RunFailure): string {
  return [thrown?.name, code, status === 0 ? 'no response' : `${status}`].filter((part) => part).join(' · ')
}

function SameError({ runId }: { runId: string }): ReactNode {
  const { data } = useAPI('GET /_workbench/api/errors', { staleTime: 1000 })
  const group = data?.groups.find(({ runIds }) => runIds.includes(runId))
  if (group === undefined) return null
  return (
    <Link className="link small" href={`${links.errors}?key=${encodeURIComponent(group.key)}`}>
      {group.count === 1 ? 'Seen once' : `The same error in ${group.count} runs`}
    </Link>
  )
}

function FailureHint({ failure }: { failure: RunFailure }): ReactNode {
  const { status, code, envelope } = failure
  if (status === 401) return <RunAs />
  if (status === 429) return <Countdown key={failure.run?.id ?? failure.recording.total} failure={failure} />
  if (code === 'NETWORK_ERROR') {
    return (
      <p className="notice">
        The dev server may be restarting, or may have stopped. Press Run when the header shows Connected.
      </p>
    )
  }
  // Only details that refer to part of the request are shown, since other details repeat the message.
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
      <p>{left > 0 ? `Rate limited: try again in ${Math.ceil(left)} s.` : 'You can try again: press Run.'}</p>
      {policies.map(({ name, quota, window }) => {
        const state = states.find((one) => one.name === name)
        return (
          <p key={name} className="num">
            {name}: {quota} per {toDuration(window * 1000)}
            {state !== undefined && `, ${state.remaining} left`}
          </p>
        )
      })}
    </div>
  )
}

/** The maximum number of users listed. All users are listed on the Users page. */
const MAX_RUN_AS_USERS = 6

/** Buttons for choosing a user for further calls, shown after a 401 response. */
function RunAs(): ReactNode {
  const now = useChosenIdentity()
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  if (data === undefined) return null
  if (!data.hasAuth) {
    return (
      <p className="notice">This route requires a signed-in user. The Users page shows how to add users to this app.</p>
    )
  }
  const users = data.users.slice(0, MAX_RUN_AS_USERS)
  return (
    <div className="notice run-as">
      <p>Calls are made as {identityName(now)}. Run as:</p>
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
