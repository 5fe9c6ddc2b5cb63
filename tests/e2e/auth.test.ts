import { hasChromium } from '@sdk/test-kit'
import { describe } from 'vitest'
import { librarySpeaks } from './auth/library.ts'
import { originsAreTold } from './auth/origins.ts'
import { sessionsEnd } from './auth/revocation.ts'
import { setStage } from './auth/stage.ts'
import { tabsAgree } from './auth/tabs.ts'

describe.skipIf(!hasChromium())('users in a browser', () => {
  const stage = setStage()
  tabsAgree(stage)
  sessionsEnd(stage)
  originsAreTold(stage)
  librarySpeaks(stage)
})
