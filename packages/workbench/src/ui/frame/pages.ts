import type { ComponentType } from 'react'
import GitCompare from 'lucide-react/icons/git-compare'
import Grid3x3 from 'lucide-react/icons/grid-3x3'
import House from 'lucide-react/icons/house'
import List from 'lucide-react/icons/list'
import Radio from 'lucide-react/icons/radio'
import Settings from 'lucide-react/icons/settings'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import Users from 'lucide-react/icons/users'
import Wrench from 'lucide-react/icons/wrench'
import { links } from '../links.ts'
import type { GoKeys } from '../shortcuts.ts'

/** A page that is always available. */
export interface FramePage {
  readonly name: string
  readonly href: string
  readonly keys: GoKeys
  readonly Icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
}

/** The pages, in the order in which they appear in the sidebar. */
export const FRAME_PAGES: readonly FramePage[] = [
  { name: 'Home', href: links.home, keys: 'g h', Icon: House },
  { name: 'Runs', href: links.runs, keys: 'g r', Icon: List },
  { name: 'Errors', href: links.errors, keys: 'g e', Icon: TriangleAlert },
  { name: 'Live', href: links.live, keys: 'g l', Icon: Radio },
  { name: 'Tools', href: links.tools, keys: 'g t', Icon: Wrench },
  { name: 'Compare', href: links.compare(), keys: 'g c', Icon: GitCompare },
  { name: 'Matrix', href: links.matrix, keys: 'g m', Icon: Grid3x3 },
  { name: 'Users', href: links.users, keys: 'g u', Icon: Users },
  { name: 'Settings', href: links.settings, keys: 'g s', Icon: Settings },
]
