import { hasChromium } from '@sdk/test-kit'
import { describe } from 'vitest'
import { testLibraryClient } from './auth/library.ts'
import { testOrigins } from './auth/origins.ts'
import { testRevocation } from './auth/revocation.ts'
import { setStage } from './auth/stage.ts'
import { testTabs } from './auth/tabs.ts'

describe.skipIf(!hasChromium())('auth in a browser', () => {
  const stage = setStage()
  testTabs(stage)
  testRevocation(stage)
  testOrigins(stage)
  testLibraryClient(stage)
})
