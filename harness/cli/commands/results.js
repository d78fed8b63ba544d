/** Commands on the results of runs. */
import { ARE_OWN } from '../../common/places.js';
import { OPTIONS as O } from '../options.js';
import { BUNDLE, RECORD, REDUCES, checkBundle, checkReduced, checkSources, command } from './command.js';

export default [
  command('Results', {
    name: 'report', summary: 'write one HTML file of a run, of a record, or of all records', operands: ['<FROM>'], options: [O.with],
    check: ({ with: other }, [from]) => checkSources(from, other), needs: REDUCES, examples: ['report record', `report ${RECORD} --with ${BUNDLE}`],
    run: async ({ with: other }, [from]) => (await import('../../../report/html/report.js')).writeReport(from, other),
  }),
  command('Results', {
    name: 'figures', summary: 'draw the figures of a run again, without a server', operands: ['<FROM>'], needs: REDUCES,
    examples: [`figures ${RECORD}`, `figures ${BUNDLE}`],
    check: (_given, [from]) => checkReduced(from),
    run: async (_given, [from]) => {
      const drawn = await (await import('../../../report/figures.js')).makeFigures(from);
      console.log(drawn.length ? drawn.join('\n') : 'no figure: no trial stands (reduced/dropped.tsv)');
    },
  }),
  command('Results', {
    name: 'export', summary: 'write the numbers of a run or record for other tools', operands: ['<FROM>'], options: [O.format],
    needs: ['records'], examples: [`export ${RECORD} --format json`, `export ${BUNDLE}`],
    check: (_given, [from]) => checkSources(from),
    run: async ({ format = 'csv' }, [from]) => void (await import('../../../report/export.js')).writeExport(from, format),
  }),
  command('Results', {
    name: 'archive', summary: 'write a run or record as one zip that others can cite and check (RO-Crate)', operands: ['<FROM>'],
    needs: REDUCES, examples: [`archive ${RECORD}`, 'archive record'],
    check: (_given, [from]) => checkSources(from),
    run: async (_given, [from]) => void await (await import('../../../report/archive/archive.js')).writeArchive(from),
  }),
  command('Results', {
    name: 'verify', summary: 'compute an archive, or what a record kept of its captures, anew: is each number the same?', operands: ['<ARCHIVE>'], needs: REDUCES,
    examples: [`archive ${RECORD} && ./wscale verify results/archives/03-engineio-vs-socketcluster-default.zip`, 'verify results/archives/record.zip'],
    check: async (_given, [archive]) => (await import('../../check/verify.js')).checkArchive(archive),
    run: async (_given, [archive]) => (await import('../../check/verify.js')).verifyArchive(archive),
  }),
  command('Results', {
    name: 'record', summary: 'keep a run as the record, and write thesis-results.md anew', operands: ['<FROM>'], options: [O.add], needs: REDUCES,
    examples: [`record ${BUNDLE}`, `rejudge ${BUNDLE} && ./wscale record ${BUNDLE}`, `record ${BUNDLE} --add`],
    check: async (_given, [from]) => (await import('../../../report/record.js')).checkRecordable(from),
    run: async ({ add }, [from]) => {
      const { recordBundle, recordFurther } = await import('../../../report/record.js');
      return add ? recordFurther(from) : recordBundle(from);
    },
  }),
  command('Results', {
    name: 'record import', summary: "keep another machine's run beside the record: its verdicts, and its points in figures", operands: ['<ARCHIVE>'], needs: REDUCES,
    examples: ['record import 05-core-scaling-20270105T090000Z-default.zip', `archive ${BUNDLE} && cp results/archives/*.zip /mnt/share`],
    check: async (_given, [archive]) => (await import('../../records/archives.js')).checkZip(archive),
    run: async (_given, [archive]) => (await import('../../../report/import.js')).importArchive(archive),
  }),
  command('Results', {
    name: 'rejudge', summary: 'judge a run or record by the claims and code of today; runs nothing', operands: ['<FROM>'],
    needs: REDUCES, examples: [`rejudge ${RECORD}`, `rejudge ${BUNDLE}`],
    check: (_given, [from]) => checkBundle(from),
    run: async (_given, [from]) => (await import('../../../report/rejudge.js')).rejudgeBundle(from),
  }),
  command('Results', {
    name: 'thesis-results', summary: "write thesis-results.md, each RESULTS.md and what documents show anew from the records", needs: ['records'],
    examples: ['thesis-results', 'rejudge records/17-page-delivery/default && ./wscale thesis-results'],
    run: async () => {
      (await import('../../../report/record.js')).writeThesisResults();
      if (ARE_OWN) (await import('../../../report/documents.js')).writeDocuments();
    },
  }),
  command('Results', {
    name: 'docs', summary: 'write into each document what its commands print and what the records say', needs: ['records'],
    examples: ['docs', 'docs && git diff docs'],
    run: async () => (await import('../../../report/documents.js')).writeDocuments(),
  }),
];
