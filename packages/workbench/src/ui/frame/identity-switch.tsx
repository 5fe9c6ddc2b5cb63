import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import UserRound from 'lucide-react/icons/user-round'
import { identity, useChosenIdentity, type Identity } from '../data/identity.ts'
import { links } from '../links.ts'
import { Menu, type MenuSection } from '../components/menu.tsx'
import { identityName } from './identity-name.ts'
import { NewUserDialog } from './new-user-dialog.tsx'
import { actAs } from './act-as.ts'

/** The maximum number of users in the menu. All users are listed on the Users page. */
const MAX_MENU_USERS = 8

/** A menu for choosing the identity used for calls. */
export function IdentitySwitch(): ReactNode {
  const now = useChosenIdentity()
  const [, go] = useLocation()
  const [isCreating, setCreating] = useState(false)
  const userItems = useUserItems(now)
  const hasAuth = userItems !== null
  const sections: MenuSection[] = [
    { title: 'Make calls as', items: [toItem(now, 'anonymous'), toItem(now, 'browser')] },
    ...(hasAuth && userItems.length > 0 ? [{ title: 'Users', items: userItems }] : []),
    {
      items: [
        ...(hasAuth ? [{ name: 'New test user…', onSelect: () => setCreating(true) }] : []),
        { name: hasAuth ? 'All users' : 'How to add users', onSelect: () => go(links.users) },
      ],
    },
  ]
  return (
    <>
      <Menu
        className="button quiet identity"
        label={`Calls are made as: ${identityName(now)}`}
        sections={sections}
        button={
          <>
            <UserRound size={15} aria-hidden />
            <span className="cut wide-only">{identityName(now)}</span>
          </>
        }
      />
      {isCreating && <NewUserDialog onClose={() => setCreating(false)} />}
    </>
  )
}

/** Returns the newest users as menu items, or null if the app has no sign-in. */
function useUserItems(now: Identity): MenuSection['items'] | null {
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  if (data?.hasAuth !== true) return null
  return data.users.slice(0, MAX_MENU_USERS).map(({ id, name, email }) => ({
    name,
    hint: email,
    isChecked: now.kind === 'user' && now.user.id === id,
    onSelect: () => void actAs(id),
  }))
}

function toItem(now: Identity, kind: 'anonymous' | 'browser'): MenuSection['items'][number] {
  const hint = kind === 'browser' ? 'its cookies' : 'no credentials'
  return { name: identityName({ kind }), hint, isChecked: now.kind === kind, onSelect: () => identity.use({ kind }) }
}
