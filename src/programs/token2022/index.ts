import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { token2022Acts, tokenMetadataActs } from './acts.ts';
import { token2022Layouts, token2022Named } from './instructions.ts';
import { tokenMetadataLayouts } from './metadata.ts';

export const token2022 = defineProgram({
  name: 'Token-2022',
  addresses: [TOKEN_2022_PROGRAM],
  source: 'the program itself',
  layouts: [...token2022Layouts, ...tokenMetadataLayouts],
  acts: { ...token2022Acts, ...tokenMetadataActs },
  named: token2022Named,
});
