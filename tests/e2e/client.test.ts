import { hasChromium } from '@sdk/test-kit'
import { describe } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { testFloods } from './client/floods.ts'
import { testLists } from './client/lists.ts'
import { testNetwork } from './client/network.ts'
import { testRequests } from './client/requests.ts'
import { setStage } from './client/stage.ts'
import { testCancellation } from './client/stops.ts'
import { testStreams } from './client/streams.ts'

describe.skipIf(!hasChromium())('@sdk/react in a browser', () => {
  describe('with React 19', () => {
    const stage = setStage('19')
    testRequests(stage)
    testCancellation(stage)
    testStreams(stage)
    testLists(stage)
    testNetwork(stage)
    testFloods(stage)
  })

  describe('with React 18', () => {
    const stage = setStage('18')
    testRequests(stage)
    // The code that these test does not depend on the version, so only a full run repeats them.
    if (choose(true, false)) {
      testStreams(stage)
      testCancellation(stage)
      testLists(stage)
    }
  })
})
