/** Shows the signed-in user, the theme, and information about the server. */
import { useAPI, useAuth } from '@sdk/react'
import { useOutbox } from '@sdk/react/offline'
import { useTheme } from '../theme.ts'
import { Choice } from './Choice.tsx'
import { PageTitle } from './PageTitle.tsx'

export default function Account() {
  const { user, signOut } = useAuth()
  const { data } = useAPI('GET /api/status')
  const { items } = useOutbox()
  const [theme, setTheme] = useTheme()
  return (
    <>
      <PageTitle title="Account" lead="Your account, and the theme of the app." />
      <section className="card account">
        <dl>
          <dt>Name</dt>
          <dd>{user?.name}</dd>
          <dt>E-mail</dt>
          <dd>{user?.email}</dd>
          <dt>Data</dt>
          <dd>{data === undefined ? '…' : DATABASES[data.database]}</dd>
        </dl>
        <Choice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
        {items.length > 0 && <p>Not all of your changes are saved. If you sign out, they are lost.</p>}
        <button type="button" className="second" onClick={() => void signOut({ discard: items.length > 0 })}>
          Sign out
        </button>
      </section>
    </>
  )
}

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

const DATABASES = { pglite: 'the embedded PostgreSQL', postgres: 'a PostgreSQL server' }
