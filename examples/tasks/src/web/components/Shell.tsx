/** Shows the layout of the app: navigation, connection state, and lazily loaded pages. */
import { lazy, Suspense } from 'react'
import { PageLink, usePage, type PageName } from '../router.tsx'
import { useChat } from '../use-chat.ts'
import { Connection } from './Connection.tsx'
import { DevLinks } from './DevLinks.tsx'
import { Icon } from './Icon.tsx'
import { Skeleton } from './Skeleton.tsx'

const Tasks = lazy(() => import('./Tasks.tsx'))
const Chat = lazy(() => import('./Chat.tsx'))
const Assistant = lazy(() => import('./Assistant.tsx'))
const Files = lazy(() => import('./Files.tsx'))
const Account = lazy(() => import('./Account.tsx'))

const LABELS: Readonly<Record<PageName, string>> = {
  tasks: 'Tasks',
  chat: 'Chat',
  assistant: 'Assistant',
  files: 'Files',
  account: 'Account',
}

/** The whole app, for signed-in users. */
export function Shell() {
  const page = usePage()
  const chat = useChat() // here and not in the chat page, so that unsent messages survive navigation
  return (
    <div className="shell">
      <header className="side">
        <p className="brand">
          <Mark /> <span>Tasks</span>
        </p>
        <nav aria-label="Pages">
          {(Object.keys(LABELS) as PageName[]).map((name) => (
            <PageLink key={name} to={name}>
              <Icon name={name} /> {LABELS[name]}
              {name === 'chat' && page !== 'chat' && chat.unread > 0 && (
                <span className="count" aria-label={`${chat.unread} new messages`} role="img">
                  {chat.unread}
                </span>
              )}
            </PageLink>
          ))}
        </nav>
        <Connection status={chat.status} waiting={chat.waiting.length} />
      </header>
      <main>
        <Suspense fallback={<Skeleton rows={4} />}>
          {page === 'tasks' && <Tasks />}
          {page === 'chat' && <Chat chat={chat} />}
          {page === 'assistant' && <Assistant />}
          {page === 'files' && <Files />}
          {page === 'account' && <Account />}
        </Suspense>
        <DevLinks />
      </main>
    </div>
  )
}

/** The logo of the app. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" />
      <path d="m7 12.5 3.5 3.5L17 9" />
    </svg>
  )
}
