# SPDX-License-Identifier: GPL-2.0-or-later
#
# What others are given: sources, packages, one static file. See doc/packaging.md.

EXTRA_DIST += \
	%D%/README.md \
	%D%/ptop.spec \
	%D%/sbom \
	%D%/source-id \
	debian/changelog \
	debian/clean \
	debian/control \
	debian/copyright \
	debian/ptop.README.Debian \
	debian/ptop.postinst \
	debian/ptop.prerm \
	debian/ptop.docs \
	debian/ptop.lintian-overrides \
	debian/ptop.postrm \
	debian/rules \
	debian/source/format \
	debian/source/lintian-overrides

# Two archives of the same commit are the same bytes: order, owners and modes are given, and times are the commit's.
source_time = $$(test -n "$$SOURCE_DATE_EPOCH" && echo "$$SOURCE_DATE_EPOCH" || $(srcdir)/%D%/source-id | cut -d' ' -f2)
same_tar = --format=pax --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime --sort=name \
	--owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --mtime=@$(source_time)
GZIP_ENV = --best --no-name

dist-hook:
	rm -f $(distdir)/%D%/SOURCE && $(srcdir)/%D%/source-id >$(distdir)/%D%/SOURCE

# The same as distdir, where the sources are built in: automake starts a process for each file that is not there yet.
quick-distdir: $(DISTFILES)
	rm -rf "$(distdir)" && $(MKDIR_P) "$(distdir)"
	find $(DISTFILES) -maxdepth 0 ! -type d | sort -u | xargs cp -p --parents -t "$(distdir)"
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir="$(distdir)" am__remove_distdir=
.PHONY: quick-distdir

# One file that runs on any Linux of this CPU.
static:
	rm -rf build-static
	$(MKDIR_P) build-static/build
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=build-static/src
	cd build-static/build && ../src/configure --enable-static --without-cmocka --without-vterm
	$(MAKE) $(AM_MAKEFLAGS) -C build-static/build static-file
	mv build-static/build/ptop-$(VERSION)-linux-* .
	@ls -l ptop-$(VERSION)-linux-*
# The same in a tree that was configured with --enable-static.
static-file:
	$(MAKE) $(AM_MAKEFLAGS) ptop$(EXEEXT) MAP_FLAGS=-Wl,-Map=ptop.map
	file=ptop-$(VERSION)-linux-$$($(CC) -dumpmachine | cut -d- -f1) && \
		$(STRIP) -o $$file ptop$(EXEEXT) && \
		$(srcdir)/%D%/sbom $$file $(VERSION) ptop.map >$$file.spdx
.PHONY: static static-file

# Of what the program is made, by the packages of this machine.
sbom: ptop$(EXEEXT)
	$(AM_V_GEN)$(srcdir)/%D%/sbom ptop$(EXEEXT) $(VERSION) >ptop.spdx
.PHONY: sbom
CLEANFILES += ptop.spdx
clean-local:
	rm -rf build-static
