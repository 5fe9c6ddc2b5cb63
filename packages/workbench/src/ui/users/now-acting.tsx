import type { ReactNode } from 'react'
import { identity, useChosenIdentity } from '../data/identity.ts'
import { stopActing } from '../frame/act-as.ts'
import { identityName } from '../frame/identity-name.ts'
import { CopyButton } from '../components/copy-button.tsx'

/** The user whom calls are made as, and the same for a terminal. */
export function NowActing(): ReactNode {
  const now = useChosenIdentity()
  return (
    <section className="card now-acting" aria-label="Calls are made as">
      <p>
        Calls are made as <strong>{identityName(now)}</strong>
        <span className="quiet">{IDENTITY_HINTS[now.kind]}</span>
      </p>
      <div className="actions">
        {now.kind === 'user' && (
          <>
            <CopyButton label="Copy token" text={now.token} />
            <CopyButton label="Copy curl header" text={`-H 'Authorization: Bearer ${now.token}'`} />
            <button type="button" className="button small" onClick={() => void stopActing()}>
              End session
            </button>
          </>
        )}
        {now.kind !== 'anonymous' && (
          <button type="button" className="button small" onClick={() => identity.use({ kind: 'anonymous' })}>
            Use Anonymous
          </button>
        )}
        {now.kind !== 'browser' && (
          <button type="button" className="button small" onClick={() => identity.use({ kind: 'browser' })}>
            Use this browser’s cookies
          </button>
        )}
      </div>
    </section>
  )
}

const IDENTITY_HINTS = {
  user: ', by the token of a session that was made for the workbench. When it is refused, a new one is made once.',
  anonymous: ', without a token and without cookies. Sockets carry the cookies of this browser all the same.',
  browser: ': whoever is signed in to the app here, by its cookies.',
} as const
