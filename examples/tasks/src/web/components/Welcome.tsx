/** Shows the page for signed-out users: a description of the app, and three ways to sign in. */
import { useState } from 'react'
import { AccountForm, GuestButton } from './AccountForm.tsx'
import { Choice } from './Choice.tsx'
import { DevLinks } from './DevLinks.tsx'
import { Icon } from './Icon.tsx'
import { Mark } from './Shell.tsx'

const FEATURES = [
  ['tasks', 'Tasks', 'Every change appears immediately, and is rolled back if the server rejects it.'],
  ['chat', 'Chat', 'One room, its members, and messages that survive a lost connection.'],
  ['assistant', 'Assistant', 'A model that lists, adds and deletes your tasks. It asks before it deletes one.'],
  ['files', 'Files', 'Uploads that only you can read.'],
] as const

const WAYS = [
  ['up', 'Sign up'],
  ['in', 'Sign in'],
] as const

export function Welcome() {
  const [way, setWay] = useState<'up' | 'in'>('up')
  return (
    <main className="welcome">
      <div>
        <p className="brand">
          <Mark /> Tasks
        </p>
        <h1>Your day, in one calm place.</h1>
        <p className="lead">
          A small product made with <code>@sdk</code>: agents, an API, sockets and users in one TypeScript project. It
          runs on your machine, and every page is a file that you can read.
        </p>
        <ul>
          {FEATURES.map(([icon, title, text]) => (
            <li key={title}>
              <Icon name={icon} />
              <span>
                <strong>{title}</strong>
                {text}
              </span>
            </li>
          ))}
        </ul>
        <DevLinks />
      </div>
      <section className="card" aria-label="Come in">
        <h2>Look around first</h2>
        <p className="quiet">A real account with a random name. Nothing to fill in.</p>
        <GuestButton />
        <hr />
        <Choice label="Or with an account" value={way} options={WAYS} onChange={setWay} />
        <AccountForm key={way} isNew={way === 'up'} />
      </section>
    </main>
  )
}
